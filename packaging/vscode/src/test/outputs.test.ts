import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tracker, difference, toNbformat, type Output } from '../outputs';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const stdout = (...texts: string[]): Output => ({ items: texts.map(t => ({ mime: 'application/vnd.code.notebook.stdout', data: bytes(t) })) });

test('outputs become what a notebook file has', () => {
	assert.deepEqual(toNbformat(stdout('a\n', 'b\n')), { output_type: 'stream', name: 'stdout', text: 'a\nb\n' });
	assert.deepEqual(
		toNbformat({ items: [{ mime: 'application/vnd.code.notebook.error', data: bytes('{"name":"ValueError","message":"no","stack":"1\\n2"}') }] }),
		{ output_type: 'error', ename: 'ValueError', evalue: 'no', traceback: ['1', '2'] });
	const picture = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xff]);
	assert.deepEqual(
		toNbformat({
			items: [{ mime: 'image/png', data: picture }, { mime: 'text/plain', data: bytes('<Figure>') }, { mime: 'application/json', data: bytes('{"a":1}') },
				{ mime: 'image/svg+xml', data: bytes('<svg/>') }],
			metadata: { outputType: 'execute_result', metadata: { width: 5 } },
		}),
		{
			output_type: 'execute_result', execution_count: null, metadata: { width: 5 },
			data: { 'image/png': Buffer.from(picture).toString('base64'), 'text/plain': '<Figure>', 'application/json': { a: 1 }, 'image/svg+xml': '<svg/>' },
		});
});

test('only what is new is reported', () => {
	const tracker = new Tracker([stdout('old\n')]);
	assert.deepEqual(tracker.next([]), [{ event: 'clear' }]);
	assert.deepEqual(tracker.next([stdout('a\n')]), [{ event: 'output', output: toNbformat(stdout('a\n')) }]);
	assert.deepEqual(tracker.next([stdout('a\n', 'b\n')]), [{ event: 'output', output: toNbformat(stdout('b\n')) }]);
	const value: Output = { items: [{ mime: 'text/plain', data: bytes('42') }] };
	assert.deepEqual(tracker.next([stdout('a\nb\n'), value]), [{ event: 'output', output: toNbformat(value) }]);
	assert.deepEqual(tracker.next([stdout('a\nb\n'), value]), []);
	// A progress bar that has replaced its line.
	assert.deepEqual(tracker.next([stdout('c\n')]), [{ event: 'clear' }, { event: 'output', output: toNbformat(stdout('c\n')) }]);
});

test('an edit replaces only what differs', () => {
	for (const [before, after] of [['', 'x'], ['x', ''], ['a = 1', 'a = 12'], ['aaa', 'aaaa'], ['same', 'same'], ['abc', 'axc'], ['日本', '日本語']]) {
		const d = difference(before, after);
		assert.equal(before.slice(0, d.from) + d.text + before.slice(d.to), after);
		assert.ok(d.text.length <= Math.abs(after.length - before.length) + 1, `${before} to ${after} replaces ${d.text}`);
	}
});
