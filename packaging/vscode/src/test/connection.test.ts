// Against a real Easel: scripts/vscode test names its program.
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';
import { Connection, defaultDataDirectory, findRuntime, type Message } from '../connection';

const temporary = (): string => fs.mkdtempSync(path.join(os.tmpdir(), 'easel-vscode-'));

test('the data directory is the one that Easel uses', () => {
	assert.equal(defaultDataDirectory('linux', {}, '/home/ann'), '/home/ann/.local/share/easel');
	assert.equal(defaultDataDirectory('linux', { XDG_DATA_HOME: '/data' }, '/home/ann'), '/data/easel');
	assert.equal(defaultDataDirectory('linux', { XDG_DATA_HOME: 'relative' }, '/home/ann'), '/home/ann/.local/share/easel');
	assert.equal(defaultDataDirectory('darwin', {}, '/Users/ann'), '/Users/ann/Library/Application Support/Easel');
	assert.equal(defaultDataDirectory('win32', { LOCALAPPDATA: 'C:\\Local' }, 'C:\\ann'), 'C:\\Local\\Easel');
	assert.equal(defaultDataDirectory('linux', { EASEL_DATA_DIR: '/other' }, '/home/ann'), '/other');
});

test('the token goes only to this machine', () => {
	const dir = temporary();
	for (const [url, token, found] of [
		['http://127.0.0.1:5149', 'secret', true], ['http://[::1]:5149', 'secret', true], ['http://example.com:5149', 'secret', false],
		['http://127.0.0.1.example.com:80', 'secret', false], ['https://127.0.0.1:5149', 'secret', false], ['nonsense', 'secret', false],
		['http://127.0.0.1:5149', 'two\r\nlines', false],
	] as const) {
		fs.writeFileSync(path.join(dir, 'easel.json'), JSON.stringify({ url, token, pid: process.pid }));
		assert.equal(findRuntime(dir) !== undefined, found, url);
	}
	const gone = spawnSync(process.execPath, ['-e', '']).pid; // Easel was killed: another program may listen there
	for (const pid of [gone, 'x', undefined]) {
		fs.writeFileSync(path.join(dir, 'easel.json'), JSON.stringify({ url: 'http://127.0.0.1:5149', token: 'secret', pid }));
		assert.equal(findRuntime(dir), undefined, `process ${pid}`);
	}
	fs.writeFileSync(path.join(dir, 'easel.json'), '{');
	assert.equal(findRuntime(dir), undefined);
	assert.equal(findRuntime(path.join(dir, 'none')), undefined);
	fs.rmSync(dir, { recursive: true });
});

/** An Events queues what happens, so that a test can wait for it. */
class Events {
	private readonly queue: string[] = [];
	private wake: () => void = () => { };

	add(event: string): void {
		this.queue.push(event);
		this.wake();
	}

	async next(): Promise<string> {
		while (this.queue.length === 0) {
			await new Promise<void>(resolve => { this.wake = resolve; });
		}
		return this.queue.shift() as string;
	}
}

const program = process.env.EASEL_TEST_HEADLESS;

test('it connects to Easel whenever one runs', { timeout: 120_000 }, async () => {
	assert.ok(program, 'EASEL_TEST_HEADLESS names no program: run scripts/vscode test');
	const dir = temporary();
	const start = (): ChildProcess => spawn(program, [], {
		stdio: 'ignore',
		env: {
			PATH: process.env.PATH, HOME: dir, EASEL_DATA_DIR: path.join(dir, 'data'), EASEL_ROOT_DIR: path.join(dir, 'root'), EASEL_HEADLESS: '1',
			EASEL_JUPYTER_URL: 'http://127.0.0.1:1', EASEL_PORT: process.env.EASEL_TEST_PORT ?? '31733', EASEL_TEST_RUN: process.env.EASEL_TEST_RUN,
		},
	});
	const ended = (easel: ChildProcess): Promise<unknown> => new Promise(resolve => easel.on('exit', resolve));
	const events = new Events();
	const connection = new Connection(() => path.join(dir, 'data'), {
		connected: () => {
			events.add('connected');
			return [{ type: 'hello', editor: 'Test' }, { type: 'notebooks', notebooks: [] }];
		},
		received: (m: Message) => events.add(JSON.stringify(m)),
		disconnected: () => events.add('disconnected'),
		refused: () => events.add('refused'),
	});
	let easel = start(); // after the connection has begun to look for it
	assert.equal(await events.next(), 'connected');
	assert.deepEqual(JSON.parse(await events.next()), { type: 'shown', questions: 0 });
	const stale = connection.reply();
	const large: Message = { type: 'answer', text: 'x'.repeat(65 << 20) };
	assert.equal(stale(large), false, 'a message that Easel does not read');
	let gone = ended(easel);
	easel.kill('SIGKILL');
	assert.equal(await events.next(), 'disconnected');
	await gone;
	easel = start();
	assert.equal(await events.next(), 'connected');
	assert.deepEqual(JSON.parse(await events.next()), { type: 'shown', questions: 0 });
	assert.equal(stale(large), true, 'an answer to the connection before is dropped');
	gone = ended(easel);
	connection.dispose();
	assert.equal(await events.next(), 'disconnected');
	easel.kill('SIGTERM');
	await gone;
	fs.rmSync(dir, { recursive: true });
});
