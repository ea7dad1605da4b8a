// The panel with the newest plot: the picture, and nothing else.
import { randomBytes } from 'node:crypto';
import * as http from 'node:http';
import * as vscode from 'vscode';
import type { Runtime } from './connection';

/** The largest picture that is shown, in bytes. */
const largest = 32 << 20;

/** fetchPicture reads a picture from Easel. */
export function fetchPicture(runtime: Runtime, address: string): Promise<{ mime: string; data: Buffer }> {
	return new Promise((resolve, reject) => {
		const request = http.get(new URL(address, runtime.url), { agent: false, headers: { Authorization: `Bearer ${runtime.token}` } }, response => {
			const mime = String(response.headers['content-type'] ?? '').split(';')[0];
			if (response.statusCode !== 200 || !/^image\/[a-z+]+$/.test(mime)) {
				response.resume();
				reject(new Error(`Easel answers ${response.statusCode}`));
				return;
			}
			const parts: Buffer[] = [];
			let size = 0;
			response.on('data', (part: Buffer) => {
				parts.push(part);
				size += part.length;
				if (size > largest) {
					request.destroy(new Error('the picture is too large'));
				}
			});
			response.on('end', () => resolve({ mime, data: Buffer.concat(parts) }));
			response.on('error', reject);
		});
		request.on('error', reject);
	});
}

function escape(text: string): string {
	return text.replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);
}

/** page returns a page with a picture and no scripts, which can load nothing. */
export function page(picture: { mime: string; data: Buffer } | undefined, title: string, nonce: string): string {
	const content = picture
		? `<img alt="${escape(title)}" src="data:${picture.mime};base64,${picture.data.toString('base64')}">`
		: `<p>${escape(title)}</p>`;
	return `<!DOCTYPE html><html><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'nonce-${nonce}'">
<style nonce="${nonce}">html,body{height:100%;margin:0;padding:0}body{display:flex;align-items:center;justify-content:center}
img{max-width:100%;max-height:100%;object-fit:contain}</style></head><body>${content}</body></html>`;
}

/** A PlotPanel shows the newest plot. */
export class PlotPanel implements vscode.WebviewViewProvider {
	private view: vscode.WebviewView | undefined;
	private plot: { runtime: Runtime | undefined; address: string; title: string } | undefined;
	private shown: string | undefined;

	resolveWebviewView(view: vscode.WebviewView): void {
		this.view = view;
		this.shown = undefined;
		view.webview.options = { enableScripts: false, localResourceRoots: [] };
		view.onDidChangeVisibility(() => void this.draw());
		view.onDidDispose(() => { this.view = undefined; });
		void this.draw();
	}

	/** show sets the plot. */
	show(runtime: Runtime, address: string, title: string): void {
		this.plot = address.startsWith('/api/resources/') ? { runtime, address, title } : undefined;
		void this.draw();
	}

	/** forget forgets how to reach Easel, which has left. The picture stays. */
	forget(): void { this.plot = this.plot && { ...this.plot, runtime: undefined }; }

	private async draw(): Promise<void> {
		const { view, plot } = this;
		const key = plot?.address ?? '';
		if (!view?.visible || this.shown === key || plot && !plot.runtime) {
			return;
		}
		this.shown = key;
		const nonce = randomBytes(16).toString('hex');
		if (!plot) {
			view.webview.html = page(undefined, vscode.l10n.t('There is no plot yet'), nonce);
			return;
		}
		try {
			const picture = await fetchPicture(plot.runtime as Runtime, plot.address);
			if (this.view === view && this.shown === key) {
				view.description = plot.title;
				view.webview.html = page(picture, plot.title, nonce);
			}
		} catch {
			if (this.shown === key) {
				this.shown = undefined; // it is tried again with the next change
			}
		}
	}
}
