// A notebook in an editor that does what VS Code does with it, step by step, so that tests decide when. Import this file first: it
// takes the place of the module vscode, which exists only in an editor. e2e/editors tests the extension in a real one.
import Module from 'node:module';
import type * as vscode from 'vscode';

type Listener = (e: never) => void;

class Event {
	private readonly listeners = new Set<Listener>();
	readonly on = (listener: Listener): { dispose(): void } => {
		this.listeners.add(listener);
		return { dispose: () => this.listeners.delete(listener) };
	};

	fire(e: unknown): void { [...this.listeners].forEach(listener => listener(e as never)); }
}

const [changed, typed, closed] = [new Event(), new Event(), new Event()];
const visible: unknown[] = [];
const documents: unknown[] = [];
/** commands has the commands that were executed, and ends has what lets them return. */
export const commands: { name: string; cell: number }[] = [];
export const ends: (() => void)[] = [];
/** applying is called when an edit is applied. */
export const editor: { applying?: () => boolean; saves: number; showing?: () => Promise<void> } = { saves: 0 };

interface FakeCell {
	kind: number; index: number; metadata: object; outputs: unknown[]; executionSummary: object | undefined; notebook: unknown;
	document: { text: string; languageId: string; uri: { fragment: string }; getText(): string; positionAt(n: number): number };
}

/** A FakeNotebook is an open notebook. */
export class FakeNotebook {
	readonly uri = { toString: () => 'file:///a.ipynb' };
	readonly metadata = { nbformat_minor: 5 };
	readonly isClosed = false;
	isDirty = false;
	cells: FakeCell[] = [];

	constructor(...texts: string[]) {
		texts.forEach((text, i) => this.cells.push(this.cell(text, `c${i}`)));
		this.count();
		documents.splice(0, documents.length, this);
		visible.splice(0, visible.length, { notebook: this });
		[commands.length, ends.length, editor.saves, editor.applying, editor.showing] = [0, 0, 0, undefined, undefined];
	}

	getCells(): FakeCell[] { return [...this.cells]; }
	async save(): Promise<boolean> {
		editor.saves++;
		this.isDirty = false;
		return true;
	}

	cell(text: string, id: string): FakeCell {
		return {
			kind: 2, index: 0, metadata: { id }, outputs: [], executionSummary: undefined, notebook: this,
			document: {
				text, languageId: 'python', uri: { fragment: id }, getText() { return this.text; }, positionAt: n => n,
			},
		};
	}

	/** says changes a cell as the editor reports it. */
	says(cell: number, change: { summary?: object; text?: string }): void {
		const c = this.cells[cell];
		if (change.summary) {
			c.executionSummary = { success: undefined, executionOrder: undefined, ...change.summary };
		}
		if (change.text !== undefined) {
			c.outputs = [{ items: [{ mime: 'application/vnd.code.notebook.stdout', data: Buffer.from(change.text) }] }];
		}
		changed.fire({
			notebook: this, contentChanges: [], cellChanges: [{
				cell: c, executionSummary: change.summary && c.executionSummary, outputs: change.text === undefined ? undefined : c.outputs,
			}],
		});
	}

	/** types changes the text of a cell as the user does. */
	types(cell: number, text: string): void {
		this.cells[cell].document.text = text;
		this.isDirty = true;
		typed.fire({ document: this.cells[cell].document, contentChanges: [{ text }] });
	}

	insert(at: number, ...cells: FakeCell[]): void {
		this.cells.splice(at, 0, ...cells);
		this.isDirty = true;
		this.count();
		changed.fire({ notebook: this, cellChanges: [], contentChanges: [{ addedCells: cells }] });
	}

	private count(): void { this.cells.forEach((c, i) => { c.index = i; }); }
}

class NotebookCellData {
	metadata: object | undefined;
	constructor(readonly kind: number, readonly value: string, readonly languageId: string) { }
}

class WorkspaceEdit {
	readonly made: { at: number; cells: NotebookCellData[] }[] = [];
	set(_: unknown, edits: { at: number; cells: NotebookCellData[] }[]): void { this.made.push(...edits); }
	replace(): void { /* only insertions are tested */ }
}

const fake = {
	NotebookCellKind: { Markup: 1, Code: 2 }, NotebookCellData, WorkspaceEdit, TabInputNotebook: class { },
	NotebookEdit: { insertCells: (at: number, cells: NotebookCellData[]) => ({ at, cells }) },
	workspace: {
		notebookDocuments: documents, onDidChangeNotebookDocument: changed.on, onDidChangeTextDocument: typed.on, onDidCloseNotebookDocument: closed.on,
		applyEdit: async (edit: WorkspaceEdit) => {
			if (editor.applying?.() === false) {
				return false;
			}
			const notebook = documents[0] as FakeNotebook;
			for (const { at, cells } of edit.made) {
				notebook.insert(at, ...cells.map(c => ({ ...notebook.cell(c.value, 'x'), metadata: c.metadata ?? {} })));
			}
			return true;
		},
	},
	window: {
		visibleNotebookEditors: visible, tabGroups: { all: [] },
		showNotebookDocument: async () => editor.showing?.(),
	},
	commands: {
		executeCommand: (name: string, at: { ranges: { start: number }[] }) => {
			commands.push({ name, cell: at.ranges[0].start });
			return name.endsWith('execute') ? new Promise<void>(resolve => { ends.push(resolve); }) : Promise.resolve();
		},
	},
};

/** hide makes the notebook one that no editor shows. */
export function hide(): void { visible.length = 0; }

const loader = Module as unknown as { _load(name: string, ...rest: unknown[]): unknown };
const load = loader._load;
loader._load = (name, ...rest) => name === 'vscode' ? fake as unknown as typeof vscode : load.call(loader, name, ...rest);
