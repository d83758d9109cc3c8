const TOKEN_KEY = "pi-geon-token";

/**
 * The address that the command prints has the token after the `#`, where servers and logs do not see it. This moves the token
 * to the tab's own storage, and out of the address, which people copy and show.
 */
export function takeToken(): string | undefined {
	const after = location.hash.slice(1);
	if (after !== "" && !after.startsWith("/")) {
		const [token = "", ...path] = after.split("/");
		sessionStorage.setItem(TOKEN_KEY, token);
		history.replaceState(null, "", `${location.pathname}#/${path.join("/")}`);
	}
	return sessionStorage.getItem(TOKEN_KEY) ?? undefined;
}
