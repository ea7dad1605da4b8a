// Running cells in the kernel that the user has chosen, as if the user had run them.
import * as vscode from 'vscode';
import { Refusal, plain } from './common';
import { Tracker } from './outputs';

/** How long a cell that was interrupted may take to say that it has ended, in milliseconds. */
const endTime = 3000;
/** How long a cell may take to begin after the command that runs it has returned. */
const beginTime = 2000;
/** How long a cell must have been begun if nothing else shows that: the end of one that no kernel takes looks the same. */
const sureTime = 200;
/** How often outputs are reported at most. */
const reportTime = 250;

export type Report = (r: Record<string, unknown>) => void;

/** A Run is a cell that Easel runs. */
class Run {
	readonly done: Promise<boolean>;
	private resolve: (ok: boolean) => void = () => { };
	private reject: (why: Refusal) => void = () => { };
	private state: 'asked' | 'queued' | 'begins' | 'started' | 'over' = 'asked';
	private count = 0;
	private readonly tracker: Tracker;
	private readonly at: number;
	private readonly timers = new Set<NodeJS.Timeout>();
	private sure: NodeJS.Timeout | undefined;
	private reporting = false;
	private stopped = false;
	private hasReturned = false;
	/** order is the number of the execution, and ambiguous whether the summary changed without saying more: perhaps it has ended. */
	private order: number | undefined;
	private ambiguous = false;
	/** other is a cell that runs in the place of this one, because cells were moved at the same moment. */
	private other: vscode.NotebookCell | undefined;

	constructor(
		readonly document: vscode.NotebookDocument, readonly cell: vscode.NotebookCell, private readonly code: string,
		private readonly report: Report, private readonly cancel: (cell: vscode.NotebookCell) => Promise<void>,
	) {
		this.tracker = new Tracker(cell.outputs);
		this.at = cell.index;
		this.done = new Promise((resolve, reject) => { [this.resolve, this.reject] = [resolve, reject]; });
		this.done.catch(() => { /* handled by whoever awaits it */ });
	}

	get started(): boolean { return this.state === 'started'; }

	/** mayBegin reports whether the cell can begin although the run was answered. */
	get mayBegin(): boolean { return !['started', 'over'].includes(this.state); }

	/** stop interrupts the cell, now or when it begins. Before that, the kernel runs something else, which is the user's. */
	async stop(): Promise<void> {
		this.stopped = true;
		if (!this.started) {
			this.reject(new Refusal('failed', 'the cell was cancelled before it began'));
			return;
		}
		this.later(endTime, () => this.finish(false));
		await this.cancel(this.cell);
	}

	/** returned says that the command which runs the cell has returned. */
	returned(): void {
		clearTimeout(this.sure); // what looked like the beginning may have been the end
		this.hasReturned = true;
		if (this.started) {
			this.settle();
			return;
		}
		this.later(beginTime, () => {
			if (!this.started) {
				this.reject(this.state === 'asked'
					? new Refusal('failed', 'the cell was not run: it runs already, or cannot run')
					: new Refusal('unproved', 'the cell has not begun. Perhaps no kernel was chosen, or it was cancelled. It may begin later'));
			}
		});
	}

	changed(e: vscode.NotebookDocumentChangeEvent): void {
		if (e.notebook !== this.document) {
			return;
		}
		if (!this.document.getCells().includes(this.cell)) {
			this.gone();
		}
		for (const change of e.cellChanges) {
			if (change.cell === this.cell) {
				this.changedCell(change);
			} else if (this.state === 'asked' && this.cell.index !== this.at && change.cell.index === this.at && queues(change)) {
				this.other = change.cell;
				this.state = 'queued';
			} else if (change.cell === this.other && change.executionSummary && change.executionSummary.success === undefined) {
				this.state = 'over';
				this.other = undefined;
				void this.cancel(change.cell);
				this.reject(new Refusal('unproved', 'another cell has begun, because cells were moved at the same moment; it was interrupted'));
			}
		}
	}

	/** gone says that the cell is no longer in an open notebook. */
	gone(): void {
		if (this.started) {
			this.finish(false);
		} else {
			this.reject(new Refusal('closed', 'the notebook was closed, or the cell removed, before it began'));
		}
	}

	/** dispose ends the timers. */
	dispose(): void {
		this.state = 'over';
		clearTimeout(this.sure);
		this.timers.forEach(clearTimeout);
	}

	private changedCell(change: vscode.NotebookDocumentCellChange): void {
		const now = change.executionSummary;
		if (this.started && now) {
			this.ambiguous = now.executionOrder === this.order;
			this.settle();
		}
		this.order = now?.executionOrder ?? this.order;
		if (this.state === 'asked' && queues(change)) {
			this.state = 'queued'; // the editor empties the summary at once, even if the kernel is not chosen yet
			return;
		}
		if (this.state === 'queued' && now) {
			this.state = 'begins';
			this.sure = setTimeout(() => this.begin(), sureTime);
		}
		if (this.state === 'begins' && (change.outputs || now?.success !== undefined || now?.executionOrder !== undefined)) {
			this.begin();
		}
		if (!this.started) {
			return;
		}
		if (now?.success !== undefined) {
			this.finish(now.success);
		} else if (!this.reporting) {
			this.reporting = true;
			this.say();
			this.later(reportTime, () => {
				this.reporting = false;
				this.say();
			});
		}
	}

	/** settle ends a cell that was cancelled in the editor: that says nothing about its success. */
	private settle(): void {
		if (this.hasReturned && this.ambiguous) {
			this.later(endTime, () => this.finish(false));
		}
	}

	private begin(): void {
		if (this.state !== 'begins') {
			return;
		}
		if (this.stopped) { // it was answered
			this.state = 'over';
			void this.cancel(this.cell);
			return;
		}
		this.state = 'started';
		this.report({ event: 'started' });
		if (plain(this.cell.document.getText()) !== plain(this.code)) {
			this.state = 'over';
			void this.cancel(this.cell);
			this.reject(new Refusal('unproved', 'the text of the cell was changed before it began; it was interrupted'));
		}
	}

	private finish(ok: boolean): void {
		setTimeout(() => { // the last outputs may come with the next event
			this.say();
			this.resolve(ok);
		}, 0);
	}

	private say(): void {
		if (!this.started) {
			return;
		}
		const order = this.cell.executionSummary?.executionOrder;
		if (order !== undefined && order !== this.count) {
			this.count = order;
			this.report({ event: 'count', count: order });
		}
		this.tracker.next(this.cell.outputs).forEach(this.report);
	}

	private later(time: number, then: () => void): void { this.timers.add(setTimeout(then, time)); }
}

/** Runs runs cells. */
export class Runs implements vscode.Disposable {
	private readonly running = new Map<vscode.NotebookCell, Run>();
	private readonly edits = new Map<vscode.NotebookDocument, number>();
	private readonly subscriptions: vscode.Disposable[];

	constructor() {
		this.subscriptions = [
			vscode.workspace.onDidChangeNotebookDocument(e => this.changed(e)),
			vscode.workspace.onDidCloseNotebookDocument(document => this.of(document).forEach(run => run.gone())),
			vscode.workspace.onDidChangeTextDocument(e => {
				const cell = [...this.running.keys()].find(c => c.notebook.getCells().some(other => other.document === e.document));
				if (cell && e.contentChanges.length > 0) {
					this.edited(cell.notebook);
				}
			}),
		];
	}

	dispose(): void { this.subscriptions.forEach(s => void s.dispose()); }

	/** run runs a cell, reports what it displays, and returns whether it has succeeded and whether the notebook was edited meanwhile. */
	async run(cell: vscode.NotebookCell, code: string, report: Report, signal: AbortSignal): Promise<{ ok: boolean; edited: boolean }> {
		const document = cell.notebook;
		if (this.running.has(cell)) {
			throw new Refusal('failed', 'the cell runs already');
		}
		if (signal.aborted) {
			throw new Refusal('failed', 'the cell was cancelled before it began');
		}
		const run = new Run(document, cell, code, report, c => this.cancel(c));
		const before = this.edits.get(document) ?? 0;
		this.running.set(cell, run);
		const stop = (): void => { void run.stop(); };
		signal.addEventListener('abort', stop);
		const returned = Promise.resolve(vscode.commands.executeCommand('notebook.cell.execute', at(cell))).then(() => { }, () => { });
		void returned.then(() => run.returned());
		try {
			const ok = await run.done;
			return { ok, edited: (this.edits.get(document) ?? 0) !== before };
		} finally {
			signal.removeEventListener('abort', stop);
			if (run.mayBegin) { // then it is interrupted
				void returned.then(() => setTimeout(() => this.forget(run), beginTime));
			} else {
				this.forget(run);
			}
		}
	}

	/** interrupt interrupts the cells of a notebook that Easel runs, and returns whether there were any. */
	async interrupt(document: vscode.NotebookDocument): Promise<boolean> {
		const started = this.of(document).filter(run => run.started);
		await Promise.all(started.map(run => run.stop()));
		return started.length > 0;
	}

	private of(document: vscode.NotebookDocument): Run[] { return [...this.running.values()].filter(run => run.document === document); }

	private forget(run: Run): void {
		run.dispose();
		this.running.delete(run.cell);
	}

	private edited(document: vscode.NotebookDocument): void { this.edits.set(document, (this.edits.get(document) ?? 0) + 1); }

	private changed(e: vscode.NotebookDocumentChangeEvent): void {
		const runs = this.of(e.notebook);
		if (runs.length > 0 && e.contentChanges.length > 0) {
			this.edited(e.notebook);
		}
		runs.forEach(run => run.changed(e));
	}

	/** cancel interrupts the kernel of a cell that runs. */
	private async cancel(cell: vscode.NotebookCell): Promise<void> {
		await show(cell.notebook);
		await vscode.commands.executeCommand('notebook.cell.cancelExecution', at(cell));
	}
}

function at(cell: vscode.NotebookCell): unknown {
	return { ranges: [{ start: cell.index, end: cell.index + 1 }], document: cell.notebook.uri };
}

/** show makes sure that an editor shows the notebook: a command would otherwise be about the active notebook. */
export async function show(document: vscode.NotebookDocument): Promise<void> {
	if (vscode.window.visibleNotebookEditors.some(e => e.notebook === document)) {
		return;
	}
	const uri = document.uri.toString();
	const group = vscode.window.tabGroups.all.find(g => g.tabs.some(
		t => t.input instanceof vscode.TabInputNotebook && t.input.uri.toString() === uri));
	await vscode.window.showNotebookDocument(document, { viewColumn: group?.viewColumn, preserveFocus: true, preview: false });
}

/** queues reports whether a change of a cell is that of one that is to run: its summary is emptied. */
function queues(change: vscode.NotebookDocumentCellChange): boolean {
	const now = change.executionSummary;
	return now !== undefined && now.success === undefined && now.executionOrder === undefined;
}
