import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as OTLP writes it, with its attributes as an object. */
export interface ReceivedSpan {
	readonly traceId: string;
	readonly spanId: string;
	readonly parentSpanId?: string;
	readonly name: string;
	readonly startTimeUnixNano: string;
	readonly endTimeUnixNano: string;
	readonly status: { readonly code?: number; readonly message?: string };
	readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
	readonly attributes: Readonly<Record<string, unknown>>;
	readonly resource: Readonly<Record<string, unknown>>;
}

interface Received {
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	readonly spans: readonly ReceivedSpan[];
	/** As it arrived. */
	readonly body: string;
}

export interface Collector {
	readonly url: string;
	readonly received: readonly Received[];
	readonly spans: readonly ReceivedSpan[];
	close(): Promise<void>;
}

/** A collector of traces on loopback, as OTLP over HTTP speaks to one. One that hangs takes requests and never answers. */
export async function startCollector({ hangs = false } = {}): Promise<Collector> {
	const received: Received[] = [];
	const server = createServer(async (request, response) => {
		const parts: Buffer[] = [];
		for await (const part of request) parts.push(part as Buffer);
		const body = Buffer.concat(parts).toString();
		received.push({ path: request.url ?? "", headers: request.headers, spans: spansIn(body), body });
		if (!hangs) response.writeHead(200, { "content-type": "application/json" }).end("{}");
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		received,
		get spans() {
			return received.flatMap(({ spans }) => spans);
		},
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
	};
}

type Value = {
	stringValue?: string;
	intValue?: string | number;
	doubleValue?: number;
	boolValue?: boolean;
	arrayValue?: { values: Value[] };
};
type Attribute = { key: string; value: Value };

/** The spans of a request, wherever they are in it. */
export function spansIn(body: string): ReceivedSpan[] {
	const { resourceSpans } = JSON.parse(body) as {
		resourceSpans: {
			resource: { attributes: Attribute[] };
			scopeSpans: { spans: (Omit<ReceivedSpan, "attributes" | "resource"> & { attributes: Attribute[] })[] }[];
		}[];
	};
	return resourceSpans.flatMap(({ resource, scopeSpans }) =>
		scopeSpans.flatMap(({ spans }) =>
			spans.map((span) => ({
				...span,
				attributes: objectOf(span.attributes),
				resource: objectOf(resource.attributes),
			})),
		),
	);
}

const objectOf = (attributes: Attribute[]): Record<string, unknown> =>
	Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]));

function plainValue({ stringValue, intValue, doubleValue, boolValue, arrayValue }: Value): unknown {
	if (arrayValue) return arrayValue.values.map(plainValue);
	return stringValue ?? doubleValue ?? boolValue ?? Number(intValue);
}
