// What Easel asks about open notebooks, by the editor's own API.
import * as vscode from 'vscode';
import { Refusal, plain } from './common';
import { difference, toNbformat } from './outputs';
import { type Report, Runs, show } from './runs';

export interface Change {
	op: string;
	cell: string;
	before: string;
	after?: string;
	type?: string;
	source: string;
}

/** How often an edit is tried that the editor refuses because the user types at the same moment. */
const attempts = 20;

const jupyter = 'jupyter-notebook';

/** openNotebooks returns the addresses of the notebooks that this window shows, or has with edits that are not saved. */
export function openNotebooks(): vscode.Uri[] {
	const found = new Map<string, vscode.Uri>();
	const add = (type: string, uri: vscode.Uri): void => {
		if (type === jupyter && uri.scheme === 'file') {
			found.set(uri.toString(), uri);
		}
	};
	for (const tab of vscode.window.tabGroups.all.flatMap(group => group.tabs)) {
		if (tab.input instanceof vscode.TabInputNotebook) {
			add(tab.input.notebookType, tab.input.uri);
		}
	}
	for (const document of vscode.workspace.notebookDocuments) {
		if (document.isDirty && !document.isClosed) {
			add(document.notebookType, document.uri);
		}
	}
	return [...found.values()];
}

interface Nbformat { metadata?: Record<string, unknown>; nbformat_minor?: number }

/** nbformat returns what the file of a notebook or a cell has besides its text. Until 2024, the editor kept it in custom. */
function nbformat(metadata: { readonly [key: string]: unknown }): Nbformat & { id?: unknown; execution_count?: unknown } {
	return (metadata.custom ?? metadata) as Nbformat;
}

/** save saves a notebook, and returns whether that was possible. */
async function save(document: vscode.NotebookDocument): Promise<boolean> {
	try {
		return !document.isClosed && await document.save();
	} catch {
		return false;
	}
}

export function kernelOf(document: vscode.NotebookDocument | undefined): { kernel: string; language: string } {
	const metadata = document && nbformat(document.metadata).metadata as { kernelspec?: { name?: string } } | undefined;
	const code = document?.getCells().find(cell => cell.kind === vscode.NotebookCellKind.Code && cell.document.languageId !== 'raw');
	return { kernel: metadata?.kernelspec?.name ?? 'notebook', language: code?.document.languageId ?? 'python' };
}

export class Notebooks {
	private readonly ids = new WeakMap<vscode.NotebookCell, string>();
	readonly runs = new Runs();

	/** handle does what Easel asks. It throws a Refusal if nothing was done. */
	async handle(method: string, params: Record<string, unknown>, report: Report, signal: AbortSignal): Promise<unknown> {
		const document = await this.document(String(params.uri));
		switch (method) {
			case 'read': return this.read(document, true);
			case 'glance': return this.read(document, false);
			case 'apply': return this.apply(document, params.change as Change);
			case 'run': return this.run(document, String(params.cell), String(params.code), report, signal);
			case 'interrupt':
				if (!await this.runs.interrupt(document)) {
					throw new Refusal('failed', 'no cell of Easel runs there');
				}
				return {};
			default: throw new Refusal('failed', `there is no method ${method}`);
		}
	}

	private async document(uri: string): Promise<vscode.NotebookDocument> {
		const loaded = vscode.workspace.notebookDocuments.find(d => d.uri.toString() === uri && !d.isClosed);
		if (loaded) {
			return loaded;
		}
		const shown = openNotebooks().find(u => u.toString() === uri); // in a tab that was not looked at yet
		if (!shown) {
			throw new Refusal('closed', 'the notebook is not open');
		}
		return vscode.workspace.openNotebookDocument(shown);
	}

	/** id returns the id of a cell, which never changes while the notebook is open. */
	private id(cell: vscode.NotebookCell): string {
		let id = this.ids.get(cell);
		if (!id) {
			const own = nbformat(cell.metadata).id;
			const others = cell.notebook.getCells().filter(c => c !== cell && nbformat(c.metadata).id === own);
			id = typeof own === 'string' && own && !others.length ? own : 'vscode-' + cell.document.uri.fragment.replace(/[^A-Za-z0-9_-]/g, '');
			this.ids.set(cell, id);
		}
		return id;
	}

	private find(document: vscode.NotebookDocument, id: string): vscode.NotebookCell {
		const cell = document.getCells().find(c => this.id(c) === id);
		if (!cell) {
			throw new Refusal('changed', 'the cell was removed');
		}
		return cell;
	}

	private read(document: vscode.NotebookDocument, outputs: boolean): unknown {
		const { metadata } = nbformat(document.metadata);
		return {
			nbformat: 4, nbformat_minor: 5, metadata: metadata ?? {},
			cells: document.getCells().map(cell => {
				const known = nbformat(cell.metadata);
				const all = { id: this.id(cell), source: plain(cell.document.getText()), metadata: known.metadata ?? {} };
				if (cell.kind === vscode.NotebookCellKind.Markup) {
					return { ...all, cell_type: 'markdown' };
				}
				if (cell.document.languageId === 'raw') {
					return { ...all, cell_type: 'raw' };
				}
				return {
					...all, cell_type: 'code', execution_count: cell.executionSummary?.executionOrder ?? known.execution_count ?? null,
					outputs: outputs ? cell.outputs.map(toNbformat) : [],
				};
			}),
		};
	}

	/** apply makes a change if the cell still has the text that it had. The editor refuses an edit of what has changed since. */
	private async apply(document: vscode.NotebookDocument, change: Change): Promise<{ cell: string }> {
		for (let n = 0; n < attempts; n++) {
			const dirty = document.isDirty; // again each time: the user types
			const { edit, done } = this.edit(document, change);
			if (await vscode.workspace.applyEdit(edit)) {
				const cell = done();
				if (!dirty) {
					await save(document);
				}
				return { cell };
			}
			await new Promise(resolve => setTimeout(resolve, 10)); // until what the user has typed is known here
		}
		throw new Refusal('changed', 'the user types at the same moment');
	}

	/** edit returns the edit of a change, and what proves it afterwards and returns the id of the cell. */
	private edit(document: vscode.NotebookDocument, change: Change): { edit: vscode.WorkspaceEdit; done: () => string } {
		const edit = new vscode.WorkspaceEdit();
		const below = (moved?: vscode.NotebookCell): number => {
			const cells = document.getCells().filter(c => c !== moved);
			const at = change.after ? cells.indexOf(this.find(document, change.after)) : -1;
			if (change.after && at < 0) {
				throw new Refusal('changed', 'the cell above was removed');
			}
			return at + 1;
		};
		const before = new Set(document.getCells());
		const inserted = (id: string, source: string, metadata: Record<string, unknown> | undefined) => (): string => {
			const own = nbformat(metadata ?? {}).id;
			const cell = document.getCells().find(c => // the user may have inserted others at the same moment
				!before.has(c) && plain(c.document.getText()) === plain(source) && (own === undefined || nbformat(c.metadata).id === own));
			if (!cell) {
				throw new Refusal('unproved', 'the cell is not there');
			}
			this.ids.set(cell, id);
			return id;
		};
		if (change.op === 'insert') {
			const at = below();
			const data = this.cell(document, change);
			edit.set(document.uri, [vscode.NotebookEdit.insertCells(at, [data])]);
			return { edit, done: inserted(change.cell, change.source, data.metadata) };
		}
		const cell = this.find(document, change.cell);
		const text = cell.document.getText();
		if (plain(text) !== change.before) {
			throw new Refusal('changed', 'the text of the cell was changed');
		}
		switch (change.op) {
			case 'set': {
				const d = difference(text, text.includes('\r\n') ? plain(change.source).replace(/\n/g, '\r\n') : change.source);
				const range = new vscode.Range(cell.document.positionAt(d.from), cell.document.positionAt(d.to));
				edit.replace(cell.document.uri, range, d.text);
				return {
					edit, done: () => {
						if (plain(cell.document.getText()) !== plain(change.source)) {
							throw new Refusal('unproved', 'the cell has another text');
						}
						return change.cell;
					},
				};
			}
			case 'delete':
				edit.set(document.uri, [vscode.NotebookEdit.deleteCells(new vscode.NotebookRange(cell.index, cell.index + 1))]);
				return {
					edit, done: () => {
						if (document.getCells().includes(cell)) {
							throw new Refusal('unproved', 'the cell is still there');
						}
						return change.cell;
					},
				};
			case 'move': {
				const at = below(cell);
				const copy = new vscode.NotebookCellData(cell.kind, text, cell.document.languageId);
				copy.metadata = { ...cell.metadata };
				copy.outputs = [...cell.outputs];
				copy.executionSummary = cell.executionSummary;
				edit.set(document.uri, [
					vscode.NotebookEdit.deleteCells(new vscode.NotebookRange(cell.index, cell.index + 1)),
					vscode.NotebookEdit.insertCells(at > cell.index ? at + 1 : at, [copy]),
				]);
				return { edit, done: inserted(change.cell, text, copy.metadata) };
			}
			default:
				throw new Refusal('failed', `there is no change ${change.op}`);
		}
	}

	/** cell returns a new cell. The notebook's file has ids only in newer versions of the format. */
	private cell(document: vscode.NotebookDocument, change: Change): vscode.NotebookCellData {
		const code = change.type === 'code';
		const data = new vscode.NotebookCellData(
			code ? vscode.NotebookCellKind.Code : vscode.NotebookCellKind.Markup, change.source, code ? kernelOf(document).language : 'markdown');
		const known = document.metadata.custom ? 'custom' : '';
		const own: Record<string, unknown> = { metadata: {} };
		if ((nbformat(document.metadata).nbformat_minor ?? 5) >= 5) {
			own.id = change.cell;
		}
		data.metadata = known ? { custom: own } : own;
		return data;
	}

	/** run runs a cell in the notebook's kernel, as if the user had, and reports what it displays. */
	private async run(
		document: vscode.NotebookDocument, id: string, code: string, report: Report, signal: AbortSignal,
	): Promise<{ ok: boolean; saved: boolean }> {
		await show(document);
		const cell = this.find(document, id);
		if (plain(cell.document.getText()) !== plain(code)) {
			throw new Refusal('changed', 'the text of the cell was changed');
		}
		const dirty = document.isDirty;
		const { ok, edited } = await this.runs.run(cell, code, report, signal);
		return { ok, saved: !dirty && !edited && await save(document) };
	}
}
