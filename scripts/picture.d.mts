/** What can be played, by name. */
export const scenes: Readonly<Record<string, unknown>>;
/** The pictures of a scene, as SVG by their file names. */
export function picturesOf(scene: string): Promise<Record<string, string>>;
