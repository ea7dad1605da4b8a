/** A Refusal says why nothing was done. */
export class Refusal extends Error {
	constructor(readonly kind: 'changed' | 'closed' | 'failed' | 'unproved', message: string) { super(message); }
}

/** plain returns a text with the ends of lines that notebooks have. */
export function plain(text: string): string { return text.replace(/\r\n?/g, '\n'); }
