/**
 * What a hostile page tries, in its own window: all of it, or what `only` names. Each resolves with what it got of the other
 * server; an empty text is nothing.
 */
export const ATTEMPTS = `async ({ target, guess, runId, only }) => {
	const api = target + "/api";
	const body = JSON.stringify({ message: "pwned" });
	const json = { "Content-Type": "application/json" };
	const text = async (answer) => (answer.type === "opaque" ? "" : answer.status + " " + (await answer.text()));
	const element = (name, attributes, read = () => "loaded") =>
		new Promise((resolve) => {
			const made = document.createElement(name);
			made.onload = () => resolve(read(made));
			made.onerror = () => resolve("");
			Object.assign(made, attributes);
			document.body.append(made);
		});
	const seen = (frame) => {
		try {
			return frame.contentWindow.document.body.innerText;
		} catch {
			return "";
		}
	};
	const form = (enctype, fields) => {
		const frame = document.createElement("iframe");
		frame.name = "sink" + Math.random();
		const made = document.createElement("form");
		Object.assign(made, { method: "POST", action: api + "/runs/" + runId + "/stop", enctype, target: frame.name });
		for (const [name, value] of Object.entries(fields)) {
			const field = document.createElement("input");
			Object.assign(field, { name, value });
			made.append(field);
		}
		document.body.append(frame, made);
		return new Promise((resolve) => {
			frame.onload = () => resolve(seen(frame));
			made.submit();
		});
	};
	const attempts = {
		"read the page": async () => text(await fetch(target + "/")),
		"read the script": async () => text(await fetch(target + "/page.js")),
		"list runs": async () => text(await fetch(api + "/runs")),
		"list runs without CORS": async () => text(await fetch(api + "/runs", { mode: "no-cors" })),
		"list runs with credentials": async () => text(await fetch(api + "/runs", { credentials: "include" })),
		"list runs with a guessed token": async () =>
			text(await fetch(api + "/runs", { headers: { Authorization: "Bearer " + guess } })),
		"token in the query": async () => text(await fetch(api + "/runs?token=" + guess)),
		"token in a cookie": async () => {
			document.cookie = "pi-geon-token=" + guess;
			return text(await fetch(api + "/runs", { credentials: "include", mode: "no-cors" }));
		},
		"another method": async () => text(await fetch(api + "/runs", { method: "PUT", body })),
		"ask what is allowed": async () => text(await fetch(api + "/runs", { method: "OPTIONS" })),
		"the stream": async () => text(await fetch(api + "/events")),
		"the stream as EventSource": () =>
			new Promise((resolve) => {
				const source = new EventSource(api + "/events");
				source.onmessage = ({ data }) => resolve(data);
				source.onopen = () => resolve("opened");
				source.onerror = () => resolve("");
			}),
		"a web socket": () =>
			new Promise((resolve) => {
				const socket = new WebSocket(target.replace("http", "ws") + "/api/events");
				socket.onopen = () => resolve("opened");
				socket.onerror = () => resolve("");
			}),
		"stop, as JSON": async () =>
			text(await fetch(api + "/runs/" + runId + "/stop", { method: "POST", headers: json, body })),
		"stop, as plain text": async () =>
			text(await fetch(api + "/runs/" + runId + "/stop", { method: "POST", mode: "no-cors", body })),
		"stop, by beacon": async () => {
			navigator.sendBeacon(api + "/runs/" + runId + "/stop", new Blob([body], { type: "text/plain" }));
			return "";
		},
		"send, as a form that looks like JSON": () => form("text/plain", { '{"message":"pwned","x":"': '"}' }),
		"stop, as a form": () => form("application/x-www-form-urlencoded", { message: "pwned" }),
		"stop, as a form with files": () => form("multipart/form-data", { message: "pwned" }),
		"a frame of the page": () => element("iframe", { src: target + "/" }, seen),
		"a frame of the API": () => element("iframe", { src: api + "/runs" }, seen),
		"an object": () => element("object", { data: target + "/", type: "text/html" }, seen),
		"the API as a script": () => element("script", { src: api + "/runs" }),
		"the page's script as a script": () => element("script", { src: target + "/page.js", type: "module" }),
		"the API as an image": () => element("img", { src: api + "/runs" }),
		"the API as a style": () => element("link", { rel: "stylesheet", href: target + "/page.css" }, ({ sheet }) => [...sheet.cssRules].join()),
		"its storage": async () => sessionStorage.getItem("pi-geon-token") ?? localStorage.getItem("pi-geon-token") ?? "",
		"a window of it": async () => {
			const opened = open(target + "/");
			try {
				// Its first document is ours. Once it is the other's, reading it throws.
				for (;;) {
					if (!opened || opened.closed) return "";
					if (opened.location.href !== "about:blank") return opened.document.body.innerText;
					await new Promise((resolve) => setTimeout(resolve, 20));
				}
			} catch {
				return "";
			} finally {
				opened?.close();
			}
		},
	};
	const got = {};
	for (const [name, attempt] of Object.entries(attempts)) {
		if (only && !only.includes(name)) continue;
		const late = new Promise((resolve) => setTimeout(resolve, 5000, ""));
		got[name] = await Promise.race([late, attempt().catch(() => "")]);
	}
	return got;
}`;
