import { FakeNotebook, commands, editor, ends, hide } from './fakevscode';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Notebooks } from '../notebooks';

const uri = 'file:///a.ipynb';

/** start lets Easel run a cell, and returns its answer and what it reports. */
function start(notebooks: Notebooks, cell = 'c0', code = 'x'): {
	answer: Promise<unknown>; reports: Record<string, unknown>[]; cancel: () => void;
} {
	const reports: Record<string, unknown>[] = [];
	const controller = new AbortController();
	const answer = notebooks.handle('run', { uri, cell, code }, r => reports.push(r), controller.signal)
		.catch((error: { kind: string; message: string }) => ({ kind: error.kind, message: error.message }));
	return { answer, reports, cancel: () => controller.abort() };
}

const cancels = (): number => commands.filter(c => c.name.endsWith('cancelExecution')).length;
const [queued, running] = [{ summary: {} }, { summary: { executionOrder: 3 } }];

test('a cell runs', async () => {
	const [notebook, notebooks] = [new FakeNotebook('x'), new Notebooks()];
	const { answer, reports } = start(notebooks);
	await turn();
	notebook.says(0, queued);
	assert.deepEqual(reports, [], 'before the kernel was chosen');
	notebook.says(0, { summary: {} });
	notebook.says(0, running);
	notebook.says(0, { text: 'out' });
	notebook.says(0, { summary: { executionOrder: 3, success: true } });
	assert.deepEqual(await answer, { ok: true, saved: true });
	assert.deepEqual(reports, [
		{ event: 'started' }, { event: 'count', count: 3 }, { event: 'output', output: { output_type: 'stream', name: 'stdout', text: 'out' } },
	]);
	notebooks.runs.dispose();
});

test('much output is reported in few parts', async () => {
	const [notebook, notebooks] = [new FakeNotebook('x'), new Notebooks()];
	const { answer, reports } = start(notebooks);
	await turn();
	[queued, { summary: {} }, running].forEach(change => notebook.says(0, change));
	let text = '';
	for (let n = 0; n < 100; n++) {
		text += `${n}\n`;
		notebook.says(0, { text });
	}
	notebook.says(0, { summary: { executionOrder: 3, success: true } });
	await answer;
	const outputs = reports.filter(r => r.event === 'output').map(r => (r.output as { text: string }).text);
	assert.equal(outputs.join(''), text);
	assert.ok(outputs.length < 5, `${outputs.length} reports`);
	notebooks.runs.dispose();
});

test('a cancel before the cell begins leaves the running code of the user alone', async () => {
	const [notebook, notebooks] = [new FakeNotebook('x'), new Notebooks()];
	const { answer, reports, cancel } = start(notebooks);
	await turn();
	notebook.says(0, queued);
	cancel();
	assert.deepEqual(await answer, { kind: 'failed', message: 'the cell was cancelled before it began' });
	await assert.rejects(notebooks.handle('interrupt', { uri }, () => { }, new AbortController().signal), /no cell of Easel runs/);
	assert.equal(cancels(), 0);
	notebook.says(0, { summary: {} }); // it begins nevertheless
	notebook.says(0, running);
	await turn();
	assert.equal(cancels(), 1);
	assert.deepEqual(reports, []);
	notebooks.runs.dispose();
});

test('a cancel while the notebook is shown is not lost', async () => {
	const [, notebooks] = [new FakeNotebook('x'), new Notebooks()];
	hide();
	let shown: () => void = () => { };
	editor.showing = () => new Promise(resolve => { shown = resolve; });
	const { answer, cancel } = start(notebooks);
	await turn();
	cancel();
	shown();
	assert.equal((await answer as { kind: string }).kind, 'failed');
	assert.deepEqual(commands, []);
	notebooks.runs.dispose();
});

test('a cell that runs is interrupted', async () => {
	const [notebook, notebooks] = [new FakeNotebook('x'), new Notebooks()];
	const { answer } = start(notebooks);
	await turn();
	[queued, { summary: {} }, running].forEach(change => notebook.says(0, change));
	await notebooks.handle('interrupt', { uri }, () => { }, new AbortController().signal);
	assert.equal(cancels(), 1);
	notebook.says(0, { summary: { executionOrder: 3, success: false } });
	assert.deepEqual(await answer, { ok: false, saved: true });
	notebooks.runs.dispose();
});

test('what ran is proved', async () => {
	const [notebook, notebooks] = [new FakeNotebook('x', 'y'), new Notebooks()];
	const edited = start(notebooks);
	await turn();
	notebook.says(0, queued);
	notebook.types(0, 'x  # typed while it waited');
	notebook.says(0, { summary: {} });
	notebook.says(0, running);
	assert.equal((await edited.answer as { kind: string }).kind, 'unproved');
	assert.deepEqual(edited.reports, [{ event: 'started' }]);
	assert.equal(cancels(), 1);

	const moved = start(notebooks, 'c1', 'y');
	await turn();
	notebook.insert(0, notebook.cell('theirs', 'c9')); // cell 1 is another one now
	notebook.says(1, queued);
	notebook.says(1, { summary: {} });
	assert.match((await moved.answer as { message: string }).message, /another cell has begun/);
	assert.deepEqual([cancels(), commands.at(-1)?.cell], [2, 1]);
	notebooks.runs.dispose();
});

test('what the user types meanwhile is not saved', async () => {
	const [notebook, notebooks] = [new FakeNotebook('x', 'y'), new Notebooks()];
	const { answer } = start(notebooks);
	await turn();
	[queued, { summary: {} }, running].forEach(change => notebook.says(0, change));
	notebook.types(1, 'typing');
	notebook.says(0, { summary: { executionOrder: 3, success: true } });
	assert.deepEqual(await answer, { ok: true, saved: false });
	assert.equal(editor.saves, 0);

	notebook.isDirty = false;
	editor.applying = () => { // the first time, the user types at the same moment
		editor.applying = undefined;
		notebook.types(1, 'typing more');
		return false;
	};
	const change = { op: 'insert', cell: 'new', source: 'z', type: 'code', before: '' };
	await notebooks.handle('apply', { uri, change }, () => { }, new AbortController().signal);
	assert.equal(editor.saves, 0);
	notebooks.runs.dispose();
});

test('a run that nobody takes ends', { timeout: 20_000 }, async () => {
	const [notebook, notebooks] = [new FakeNotebook('x'), new Notebooks()];
	const dismissed = start(notebooks);
	await turn();
	notebook.says(0, queued);
	notebook.says(0, { summary: {} }); // the end of a run without a kernel looks like the beginning of one
	ends[0]();
	assert.equal((await dismissed.answer as { kind: string }).kind, 'unproved');
	assert.deepEqual(dismissed.reports, []);
	notebooks.runs.dispose();
});

test('an interrupted cell whose command never returns ends', { timeout: 20_000 }, async () => {
	const [notebook, notebooks] = [new FakeNotebook('x'), new Notebooks()];
	const { answer, cancel } = start(notebooks);
	await turn();
	[queued, { summary: {} }, running].forEach(change => notebook.says(0, change));
	cancel();
	assert.deepEqual(await answer, { ok: false, saved: true });
	notebooks.runs.dispose();
});

test('a run of the user is not taken for one of Easel', { timeout: 20_000 }, async () => {
	const [notebook, notebooks] = [new FakeNotebook('x'), new Notebooks()];
	[queued, { summary: {} }].forEach(change => notebook.says(0, change));
	const { answer, reports } = start(notebooks);
	await turn();
	ends[0](); // the editor runs no cell twice at once
	notebook.says(0, running);
	notebook.says(0, { text: 'theirs' });
	notebook.says(0, { summary: { executionOrder: 3, success: true } });
	assert.match((await answer as { message: string }).message, /runs already/);
	assert.deepEqual(reports, []);
	notebooks.runs.dispose();
});

test('a cell that the user cancels ends', { timeout: 20_000 }, async () => {
	const [notebook, notebooks] = [new FakeNotebook('x'), new Notebooks()];
	const { answer } = start(notebooks);
	await turn();
	[queued, { summary: {} }, running].forEach(change => notebook.says(0, change));
	notebook.says(0, running); // it has ended, neither with success nor without
	ends[0]();
	assert.deepEqual(await answer, { ok: false, saved: true });
	assert.equal(cancels(), 0);
	notebooks.runs.dispose();
});

test('a new cell is found although the user has inserted another', async () => {
	const [notebook, notebooks] = [new FakeNotebook('x'), new Notebooks()];
	editor.applying = () => {
		queueMicrotask(() => notebook.insert(0, notebook.cell('', 'theirs')));
		return true;
	};
	const change = { op: 'insert', cell: 'new', source: '', type: 'code', before: '' };
	await notebooks.handle('apply', { uri, change }, () => { }, new AbortController().signal);
	editor.applying = undefined;
	const read = await notebooks.handle('read', { uri }, () => { }, new AbortController().signal) as { cells: { id: string }[] };
	assert.deepEqual(read.cells.map(c => c.id), ['theirs', 'new', 'c0']);
	notebooks.runs.dispose();
});
