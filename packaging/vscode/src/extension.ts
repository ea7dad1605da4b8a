// Connects the notebooks that are open in this window to Easel; see docs/dev/editors.md.
import * as vscode from 'vscode';
import { Connection, type Message, type Runtime, defaultDataDirectory } from './connection';
import { Refusal } from './common';
import { Notebooks, kernelOf, openNotebooks } from './notebooks';
import { PlotPanel } from './panel';

let connection: Connection | undefined;
/** unsaved returns the addresses of the notebooks with edits that are not saved. */
let unsaved = (): string[] => [];

export function activate(context: vscode.ExtensionContext): void {
	const notebooks = new Notebooks();
	const panel = new PlotPanel();
	const status = vscode.window.createStatusBarItem('easel.questions', vscode.StatusBarAlignment.Right, 100);
	status.name = 'Easel';
	status.command = 'easel.showWindow';
	const asked = new Map<number, AbortController>();
	let runtime: Runtime | undefined;
	let warned = false;
	let listed = '';

	const list = (): Message => ({
		type: 'notebooks',
		notebooks: openNotebooks().map(uri => ({
			uri: uri.toString(), path: uri.fsPath,
			...kernelOf(vscode.workspace.notebookDocuments.find(d => d.uri.toString() === uri.toString())),
		})),
	});
	const listAgain = (): void => {
		const now = list();
		const text = JSON.stringify(now);
		if (text !== listed) {
			listed = text;
			connection?.send(now);
		}
	};

	const answer = async (message: Message): Promise<void> => {
		const id = Number(message.id);
		const cancelled = new AbortController();
		asked.set(id, cancelled);
		const reply = connection?.reply(); // an answer to an earlier connection is nothing to the next one
		const answer: Message = { type: 'answer', id };
		try {
			answer.result = await notebooks.handle(
				String(message.method), (message.params ?? {}) as Record<string, unknown>,
				report => reply?.({ type: 'run', id, ...report }), cancelled.signal);
		} catch (error) {
			const kind = error instanceof Refusal ? error.kind : 'failed';
			answer.error = { kind, message: error instanceof Error ? error.message : String(error) };
		} finally {
			if (asked.get(id) === cancelled) {
				asked.delete(id);
			}
		}
		if (reply?.(answer) === false) {
			reply({ type: 'answer', id, error: { kind: 'failed', message: 'the answer is too large' } });
		}
	};

	connection = new Connection(
		() => vscode.workspace.getConfiguration('easel').get<string>('dataDirectory') || defaultDataDirectory(), {
		connected: now => {
			runtime = now;
			const open = list();
			listed = JSON.stringify(open);
			return [{ type: 'hello', editor: vscode.env.appName }, open];
		},
		received: message => {
			switch (message.type) {
				case 'request':
					void answer(message);
					break;
				case 'cancel':
					asked.get(Number(message.id))?.abort();
					break;
				case 'shown': {
					const questions = Number(message.questions);
					status.text = `$(question) ${questions}`;
					status.tooltip = questions === 1
						? vscode.l10n.t('A question waits in Easel') : vscode.l10n.t('{0} questions wait in Easel', questions);
					if (questions > 0) {
						status.show();
					} else {
						status.hide();
					}
					if (runtime) {
						panel.show(runtime, String(message.plot ?? ''), String(message.title ?? ''));
					}
				}
			}
		},
		disconnected: () => {
			runtime = undefined;
			panel.forget();
			status.hide();
		},
		refused: () => {
			if (!warned) {
				warned = true;
				void vscode.window.showWarningMessage(vscode.l10n.t(
					'The extension and Easel have different versions. Install the extension that belongs to your Easel.'));
			}
		},
	});

	unsaved = () => vscode.workspace.notebookDocuments.filter(d => d.isDirty && !d.isClosed).map(d => d.uri.toString());
	context.subscriptions.push(
		status, notebooks.runs,
		vscode.commands.registerCommand('easel.showWindow', () => connection?.send({ type: 'show' })),
		vscode.window.registerWebviewViewProvider('easel.plot', panel),
		vscode.window.tabGroups.onDidChangeTabs(listAgain),
		vscode.workspace.onDidOpenNotebookDocument(listAgain),
		vscode.workspace.onDidCloseNotebookDocument(listAgain),
		vscode.workspace.onDidChangeNotebookDocument(listAgain),
		vscode.workspace.onDidSaveNotebookDocument(listAgain),
	);
}

export function deactivate(): void {
	connection?.dispose(unsaved());
	connection = undefined;
}
