/** What a picture says, row by row; of a moving one, its last frame. */
export function wordsOf(svg: string): string;
