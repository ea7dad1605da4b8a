// The connection to Easel: finding it, and messages in both directions. Each message is a JSON object in a line of its own.
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';

export const protocol = 'easel-editor/1';

/** What Easel's runtime file says. */
export interface Runtime {
	url: string;
	token: string;
}

export type Message = { type: string } & Record<string, unknown>;

/** defaultDataDirectory returns where Easel keeps its data unless it is told otherwise. */
export function defaultDataDirectory(
	platform: NodeJS.Platform = process.platform, env: NodeJS.ProcessEnv = process.env, home = os.homedir(),
): string {
	if (env.EASEL_DATA_DIR) {
		return env.EASEL_DATA_DIR;
	}
	switch (platform) {
		case 'darwin':
			return path.posix.join(home, 'Library', 'Application Support', 'Easel');
		case 'win32':
			return path.win32.join(env.LOCALAPPDATA || path.win32.join(home, 'AppData', 'Local'), 'Easel');
		default: {
			const data = env.XDG_DATA_HOME;
			return path.posix.join(data && path.posix.isAbsolute(data) ? data : path.posix.join(home, '.local', 'share'), 'easel');
		}
	}
}

/** lives reports whether a process lives, as far as that can be known. */
function lives(pid: number): boolean {
	if (fs.existsSync('/.flatpak-info')) {
		return true; // the numbers of processes are others there
	}
	try {
		process.kill(pid, 0); // sends nothing
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

/**
 * findRuntime reads how to reach the running Easel. It returns undefined if none runs. The token goes to this machine only, and only if
 * the Easel that wrote the file lives: another program may have its port otherwise.
 */
export function findRuntime(dataDirectory: string): Runtime | undefined {
	try {
		const found = JSON.parse(fs.readFileSync(path.join(dataDirectory, 'easel.json'), 'utf8')) as Partial<Runtime> & { pid?: unknown };
		if (typeof found.url !== 'string' || typeof found.token !== 'string' || /[^\x21-\x7e]/.test(found.token)) {
			return undefined;
		}
		if (!Number.isInteger(found.pid) || !lives(found.pid as number)) {
			return undefined;
		}
		const url = new URL(found.url);
		const loopback = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
		return url.protocol === 'http:' && loopback && url.port ? { url: found.url, token: found.token } : undefined;
	} catch {
		return undefined;
	}
}

/** How long to wait before looking for Easel again, in milliseconds, and how often to tell it that we are here. */
const retryTime = 1000;
const aliveTime = 15_000;
/** How long Easel may take to accept the connection. */
const acceptTime = 10_000;
/** The longest head of an answer that is read, and the longest message that Easel reads, in bytes. */
const longestHead = 64 << 10;
const longestMessage = 64 << 20;

export interface Handlers {
	/** connected is called for each new connection, and returns the first messages. */
	connected(runtime: Runtime): Message[];
	received(message: Message): void;
	/** disconnected is called when a connection has ended. */
	disconnected(): void;
	/** refused is called if Easel speaks another version of the protocol. */
	refused(): void;
}

/** write sends a message, and returns false if it is too large. */
function write(socket: net.Socket, message: Message): boolean {
	let line;
	try {
		line = JSON.stringify(message) + '\n';
	} catch { // longer than a string can be
		return false;
	}
	if (Buffer.byteLength(line) > longestMessage) {
		return false;
	}
	socket.write(line);
	return true;
}

/** A Connection connects to Easel whenever one runs, until it is disposed. */
export class Connection {
	private socket: net.Socket | undefined;
	private open = false;
	private timer: NodeJS.Timeout | undefined;
	private alive: NodeJS.Timeout | undefined;
	private ended = false;

	constructor(private readonly dataDirectory: () => string, private readonly handlers: Handlers) { this.connect(); }

	/** send sends a message, if there is a connection. It returns false if the message is too large. */
	send(message: Message): boolean {
		const { socket } = this;
		return !this.open || !socket || write(socket, message);
	}

	/** reply returns what sends messages on the present connection only. It returns false if a message is too large. */
	reply(): (message: Message) => boolean {
		const { socket } = this;
		return message => !this.open || !socket || this.socket !== socket || write(socket, message);
	}

	/** dispose says goodbye, with the addresses of the notebooks that have edits which are not saved, and ends the connection. */
	dispose(unsaved: string[] = []): void {
		this.ended = true;
		clearTimeout(this.timer);
		this.send({ type: 'bye', unsaved });
		this.socket?.end();
		this.left();
	}

	private retry(): void {
		if (!this.ended) {
			this.timer = setTimeout(() => this.connect(), retryTime);
		}
	}

	private connect(): void {
		const runtime = findRuntime(this.dataDirectory());
		if (!runtime) {
			this.retry();
			return;
		}
		const url = new URL(runtime.url);
		const socket = net.connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) });
		this.socket = socket;
		socket.on('error', () => { /* close follows */ });
		socket.on('close', () => {
			if (this.socket === socket) {
				this.left();
				this.retry();
			}
		});
		socket.on('connect', () => socket.write(
			`GET /api/editor HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${runtime.token}\r\n` +
			`Connection: Upgrade\r\nUpgrade: ${protocol}\r\nUser-Agent: easel-vscode\r\n\r\n`));
		this.read(socket, runtime);
	}

	/** read reads the head of the answer, and then lines. */
	private read(socket: net.Socket, runtime: Runtime): void {
		let head = true;
		const patience = setTimeout(() => socket.destroy(), acceptTime);
		socket.on('close', () => clearTimeout(patience));
		let parts: Buffer[] = [];
		let size = 0;
		const line = (text: string): void => {
			try {
				this.handlers.received(JSON.parse(text) as Message);
			} catch {
				socket.destroy(); // not Easel
			}
		};
		socket.on('data', (data: Buffer) => {
			if (head) {
				parts.push(data);
				size += data.length;
				const all = Buffer.concat(parts);
				const end = all.indexOf('\r\n\r\n');
				if (end < 0) {
					if (size > longestHead) {
						socket.destroy();
					}
					return;
				}
				const status = all.subarray(0, end).toString('latin1').split(' ')[1];
				if (status !== '101') {
					if (status === '501') {
						this.handlers.refused();
					}
					socket.destroy();
					return;
				}
				head = false;
				clearTimeout(patience);
				parts = [];
				this.entered(runtime);
				data = all.subarray(end + 4);
			}
			for (let at = data.indexOf(10); at >= 0; at = data.indexOf(10)) {
				parts.push(data.subarray(0, at));
				line(Buffer.concat(parts).toString('utf8'));
				parts = [];
				data = data.subarray(at + 1);
			}
			if (data.length > 0) {
				parts.push(data);
			}
		});
	}

	private entered(runtime: Runtime): void {
		this.open = true;
		this.alive = setInterval(() => this.send({ type: 'alive' }), aliveTime);
		for (const message of this.handlers.connected(runtime)) {
			this.send(message);
		}
	}

	private left(): void {
		clearInterval(this.alive);
		if (this.open) {
			this.open = false;
			this.handlers.disconnected();
		}
	}
}
