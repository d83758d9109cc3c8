import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Handler, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { PROOF_WORDS } from "../api/routes.ts";

/** The limit for the body of a request from a page. */
const MOST_BODY_BYTES = 256 * 1024;

/**
 * Only our own files run in the page, and even those cannot turn a text into markup: with Trusted Types and no policy, a
 * browser blocks every way to do so.
 */
const CONTENT_SECURITY_POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"connect-src 'self'",
	"img-src data:",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
	"require-trusted-types-for 'script'",
	"trusted-types 'none'",
].join("; ");

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
	"Content-Security-Policy": CONTENT_SECURITY_POLICY,
	"X-Content-Type-Options": "nosniff",
	"Referrer-Policy": "no-referrer",
	"Cross-Origin-Opener-Policy": "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cache-Control": "no-store",
};

/** Puts these headers on every answer. */
export const secured: MiddlewareHandler = async (context, next) => {
	await next();
	for (const [name, value] of Object.entries(SECURITY_HEADERS)) context.res.headers.set(name, value);
};

/** Refuses any other name that points to this machine: a page from there must not read our answers. */
export const ofThisHost = (port: () => number): MiddlewareHandler => {
	return async (context, next) => {
		const names = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port()}`);
		const host = context.req.header("host");
		if (host === undefined || !names.includes(host)) return context.body(null, 421);
		return next();
	};
};

/**
 * A client without the token learns nothing, not even which paths exist. The token is not a cookie, because a browser sends
 * the cookies of one port of this machine to all others.
 */
export const withToken = (token: string): MiddlewareHandler => {
	const right = digestOfHeader(`Bearer ${token}`);
	return async (context, next) => {
		// Digests, because a constant-time comparison needs equal lengths.
		if (!timingSafeEqual(digestOfHeader(context.req.header("authorization") ?? ""), right))
			return context.body(null, 401);
		return next();
	};
};

const digestOfHeader = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Proves that this server knows the token, to a page that must not send it first. */
export const provesToken = (token: string): Handler => {
	return (context) => {
		const nonce = context.req.query("nonce") ?? "";
		if (!/^[0-9a-f]{32,128}$/.test(nonce)) return context.json({ error: "Send a nonce." }, 400);
		return context.text(createHmac("sha256", token).update(`${PROOF_WORDS}${nonce}`).digest("hex"));
	};
};

/** Refuses other pages: a browser says where a request comes from, and a page cannot change that. Programs do not. */
export const fromOwnPage: MiddlewareHandler = async (context, next) => {
	const site = context.req.header("sec-fetch-site");
	if (site !== undefined && site !== "same-origin") {
		return context.json({ error: "Only the page itself may ask for this." }, 403);
	}
	return next();
};

/** Accepts only JSON: forms of other pages can send a POST, but not with this type. */
export const jsonOnly: MiddlewareHandler = async (context, next) => {
	const { method } = context.req;
	if (method === "GET" || method === "HEAD") return next();
	if (method !== "POST") return context.json({ error: "Only GET and POST are answered." }, 405);
	const type = context.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
	if (type !== "application/json") return context.json({ error: "Send application/json." }, 415);
	return next();
};

export const notTooLarge: MiddlewareHandler = bodyLimit({
	maxSize: MOST_BODY_BYTES,
	onError: (context) => context.json({ error: `The request is too large: ${MOST_BODY_BYTES / 1024} kB at most.` }, 413),
});
