/** The pages whose commands can be played. */
export const pages: readonly string[];
export function replayed(page: string): Promise<string>;
export function withoutFigures(shown: string): string;
