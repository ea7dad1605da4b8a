// Runs the cells of notebooks in a real Jupyter kernel of a real Jupyter server. It takes the place of Microsoft's extension for
// Jupyter, which cannot be obtained where the tests run.
const { randomUUID } = require('node:crypto');
const vscode = require('vscode');

const url = process.env.TEST_JUPYTER_URL;
const token = process.env.TEST_JUPYTER_TOKEN;

async function rest(method, path, body) {
	const answer = await fetch(url + path, { method, body: body && JSON.stringify(body), headers: { Authorization: `token ${token}` } });
	if (!answer.ok) {
		throw new Error(`${method} ${path}: ${answer.status}`);
	}
	return answer.status === 204 ? undefined : answer.json();
}

class Kernel {
	static async start() {
		const kernel = new Kernel();
		kernel.id = (await rest('POST', '/api/kernels', { name: 'python3' })).id;
		kernel.session = randomUUID();
		kernel.socket = new WebSocket(`${url.replace('http', 'ws')}/api/kernels/${kernel.id}/channels?session_id=${kernel.session}&token=${token}`);
		kernel.heard = new Map();
		kernel.socket.addEventListener('message', e => {
			const m = JSON.parse(e.data);
			kernel.heard.get(m.parent_header.msg_id)?.(m);
		});
		await new Promise((resolve, reject) => {
			kernel.socket.addEventListener('open', resolve);
			kernel.socket.addEventListener('error', reject);
		});
		return kernel;
	}

	run(code, heard) {
		const id = randomUUID();
		return new Promise(resolve => {
			let reply, idle;
			this.heard.set(id, m => {
				heard(m);
				reply = m.msg_type === 'execute_reply' ? m.content : reply;
				idle ||= m.msg_type === 'status' && m.content.execution_state === 'idle';
				if (reply && idle) {
					resolve(reply);
				}
			});
			this.socket.send(JSON.stringify({
				channel: 'shell', parent_header: {}, metadata: {}, buffers: [],
				header: { msg_id: id, msg_type: 'execute_request', session: this.session, username: 'test', version: '5.3', date: new Date().toISOString() },
				content: { code, silent: false, store_history: true, user_expressions: {}, allow_stdin: false, stop_on_error: true },
			}));
		});
	}
}

const item = (mime, data) => mime.startsWith('image/') && mime !== 'image/svg+xml'
	? new vscode.NotebookCellOutputItem(Buffer.from(data, 'base64'), mime)
	: vscode.NotebookCellOutputItem.text(typeof data === 'string' ? data : JSON.stringify(data), mime);

function output(m) {
	switch (m.msg_type) {
		case 'stream':
			return new vscode.NotebookCellOutput([m.content.name === 'stderr'
				? vscode.NotebookCellOutputItem.stderr(m.content.text) : vscode.NotebookCellOutputItem.stdout(m.content.text)]);
		case 'error':
			return new vscode.NotebookCellOutput([vscode.NotebookCellOutputItem.error(
				{ name: m.content.ename, message: m.content.evalue, stack: m.content.traceback.join('\n') })]);
		case 'display_data':
		case 'execute_result':
			return new vscode.NotebookCellOutput(Object.entries(m.content.data).map(([mime, data]) => item(mime, data)),
				{ outputType: m.msg_type, metadata: m.content.metadata });
	}
}

exports.activate = context => {
	const controller = vscode.notebooks.createNotebookController('easel-test', 'jupyter-notebook', 'Test Kernel');
	const kernels = new Map();
	const kernelOf = notebook => {
		const key = notebook.uri.toString();
		kernels.set(key, kernels.get(key) ?? Kernel.start());
		return kernels.get(key);
	};
	controller.supportedLanguages = ['python'];
	controller.supportsExecutionOrder = true;
	controller.interruptHandler = async notebook => rest('POST', `/api/kernels/${(await kernelOf(notebook)).id}/interrupt`);
	controller.executeHandler = async (cells, notebook) => {
		const kernel = await kernelOf(notebook);
		for (const cell of cells) {
			const run = controller.createNotebookCellExecution(cell);
			run.start(Date.now());
			await run.clearOutput();
			const reply = await kernel.run(cell.document.getText(), m => {
				if (m.msg_type === 'execute_input') {
					run.executionOrder = m.content.execution_count;
				}
				const shown = output(m);
				if (shown) {
					void run.appendOutput(shown);
				}
			});
			run.end(reply.status === 'ok', Date.now());
			if (reply.status !== 'ok') {
				break;
			}
		}
	};
	const prefer = notebook => controller.updateNotebookAffinity(notebook, vscode.NotebookControllerAffinity.Preferred);
	vscode.workspace.notebookDocuments.forEach(prefer);
	context.subscriptions.push(controller, vscode.workspace.onDidOpenNotebookDocument(prefer));
};
