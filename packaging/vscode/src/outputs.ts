// Outputs of cells in nbformat, as Easel knows them.

/** An Output is an output of a cell in the editor. */
export interface Output {
	readonly items: readonly { readonly mime: string; readonly data: Uint8Array }[];
	readonly metadata?: { readonly [key: string]: unknown };
}

export type NbOutput = { output_type: string } & Record<string, unknown>;

const stdout = 'application/vnd.code.notebook.stdout';
const stderr = 'application/vnd.code.notebook.stderr';
const failure = 'application/vnd.code.notebook.error';

function text(data: Uint8Array): string {
	return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
}

/** form returns the content of one form of an output: text, base64, or any JSON. */
function form(mime: string, data: Uint8Array): unknown {
	if (mime === 'application/json' || mime.endsWith('+json')) {
		try {
			return JSON.parse(text(data)) as unknown;
		} catch {
			return text(data);
		}
	}
	if (mime.startsWith('text/') || mime === 'image/svg+xml' || mime.endsWith('javascript') || mime.endsWith('xml')) {
		return text(data);
	}
	return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
}

/** toNbformat returns an output in nbformat. */
export function toNbformat(output: Output): NbOutput {
	const first = output.items[0]?.mime;
	if (first === stdout || first === stderr) {
		return {
			output_type: 'stream', name: first === stdout ? 'stdout' : 'stderr',
			text: output.items.filter(i => i.mime === first).map(i => text(i.data)).join(''),
		};
	}
	const failed = output.items.find(i => i.mime === failure);
	if (failed) {
		const error = form('application/json', failed.data) as { name?: string; message?: string; stack?: string };
		return {
			output_type: 'error', ename: error.name ?? 'Error', evalue: error.message ?? '', traceback: (error.stack ?? '').split('\n'),
		};
	}
	const data: Record<string, unknown> = {};
	for (const item of output.items) {
		data[item.mime] = form(item.mime, item.data);
	}
	const kind = output.metadata?.outputType === 'execute_result' ? 'execute_result' : 'display_data';
	const metadata = output.metadata?.metadata ?? {};
	return kind === 'execute_result'
		? { output_type: kind, data, metadata, execution_count: null }
		: { output_type: kind, data, metadata };
}

export type Report = { event: 'clear' } | { event: 'output'; output: NbOutput };

/** A KnownOutput is an output that was reported: what it had then, so that only what is new is decoded. */
class KnownOutput {
	private readonly items: readonly { readonly mime: string; readonly data: Uint8Array }[];
	/** stream is what a stream has printed. */
	private readonly stream: Buffer | undefined;
	private readonly metadata: string;

	constructor(private readonly output: Output) {
		this.items = [...output.items];
		this.metadata = JSON.stringify(output.metadata ?? null);
		const kind = output.items[0]?.mime;
		if (kind === stdout || kind === stderr) {
			this.stream = Buffer.concat(output.items.filter(i => i.mime === kind).map(i => i.data));
		}
	}

	whole(): NbOutput { return toNbformat(this.output); }

	/** more returns what is new since was: undefined if nothing is, and null if it is another output. */
	more(was: KnownOutput): NbOutput | undefined | null {
		if (this.stream && was.stream) {
			const length = was.stream.length;
			if (this.items[0].mime !== was.items[0].mime || this.stream.length < length || !this.stream.subarray(0, length).equals(was.stream)) {
				return null;
			}
			return this.stream.length === length ? undefined : {
				output_type: 'stream', name: this.items[0].mime === stdout ? 'stdout' : 'stderr', text: this.stream.subarray(length).toString('utf8'),
			};
		}
		const same = this.metadata === was.metadata && this.items.length === was.items.length && this.items.every(
			(item, i) => item.mime === was.items[i].mime && (item.data === was.items[i].data || Buffer.compare(item.data, was.items[i].data) === 0));
		return same ? undefined : null;
	}
}

/** A Tracker finds out what is new in the outputs of a cell that runs. */
export class Tracker {
	private known: KnownOutput[];

	constructor(before: readonly Output[]) { this.known = before.map(o => new KnownOutput(o)); }

	/** next returns what has changed since the last call. */
	next(outputs: readonly Output[]): Report[] {
		const now = outputs.map(o => new KnownOutput(o));
		const reports: Report[] = [];
		const fits = this.known.length <= now.length && this.known.every((was, i) => {
			const more = now[i].more(was);
			if (more) {
				reports.push({ event: 'output', output: more });
			}
			return more !== null;
		});
		const whole = fits ? now.slice(this.known.length) : now;
		if (!fits) {
			reports.length = 0;
			reports.push({ event: 'clear' });
		}
		reports.push(...whole.map(o => ({ event: 'output' as const, output: o.whole() })));
		this.known = now;
		return reports;
	}
}

/** difference returns the part of a text that an edit has to replace, so that the caret stays where it is. */
export function difference(before: string, after: string): { from: number; to: number; text: string } {
	let head = 0;
	const shorter = Math.min(before.length, after.length);
	while (head < shorter && before[head] === after[head]) {
		head++;
	}
	let tail = 0;
	while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) {
		tail++;
	}
	return { from: head, to: before.length - tail, text: after.slice(head, after.length - tail) };
}
