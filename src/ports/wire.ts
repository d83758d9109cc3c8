/** How parents and hosts reach each other. All of it is a hint: a process that loses a message looks at the ledger. */
export interface Wire {
	/** Fails with a system error if no process listens there (yet, or any more). */
	connect(address: string): Promise<Link>;
	/** Resolves once others can connect. `onTrouble` reports later failures. */
	listen(address: string, onLink: (link: Link) => void, onTrouble: (error: Error) => void): Promise<Listener>;
	/** Removes the socket that a listener has left at its address. False if that is forbidden for now. */
	remove(address: string): boolean;
}

/** One end of a connection. */
export interface Link {
	readonly isOpen: boolean;
	/** Whether the other side has not read yet what was sent before. */
	readonly isBehind: boolean;
	send(message: object): void;
	onMessage(take: (message: unknown) => void): void;
	onClose(call: () => void): void;
	/** `politely`: only after everything that was sent has left. */
	close(how?: "politely"): void;
}

export interface Listener {
	/** False if the address was removed, so that no new process can connect. */
	readonly isReachable: boolean;
	close(): void;
}
