import type { Places } from "../../src/ledger/places.ts";

export const PLACES: Places = {
	dir: "/state",
	ledger: "/state/ledger",
	hosts: "/state/hosts",
	compiled: "/state/compiled",
	forks: "/state/forks",
	changes: "/state/changes",
	writeConsents: "/state/consents",
	ringed: { compiled: "", loader: "", ownPrograms: "", hosts: "", proof: "" },
	page: { address: "/simulated/page.json", door: "/simulated/page.html" },
	scratch: "/state/scratch",
	parentLog: "/state/parent.log",
	log: (host) => `/state/hosts/${host}.log`,
	socket: (host) => `/state/hosts/${host}.sock`,
};
