/** Thrown by every effect of a process that was killed: nothing it still does reaches the world. */
export class Killed extends Error {
	override name = "Killed";
}
