// The search: the texts of all sections are in search-index.js, and MiniSearch finds and orders them. Both are loaded when the
// field gets the focus. Scripts are loaded also from a file system, where a page may fetch nothing.
'use strict';

const root = document.documentElement.dataset.root;
const language = document.documentElement.lang;
const form = document.querySelector('.search');
const field = form.querySelector('input');
const list = document.getElementById('found');
let loaded; // promises the index
let chosen = -1;

const load = name => new Promise((done, failed) => {
  const script = document.createElement('script');
  script.src = root + name;
  script.onload = done;
  script.onerror = failed;
  document.head.append(script);
});

// A word of Japanese has no borders, so its text is indexed as pairs of characters.
const japanese = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー々〆]+/u;
function words(text) {
  const all = [];
  for (const [run] of text.normalize('NFKC').matchAll(/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー々〆]+|[\p{L}\p{N}_]+/gu)) {
    if (!japanese.test(run)) {
      all.push(run);
      if (run.includes('_')) all.push(...run.split('_').filter(Boolean));
    } else if (run.length === 1) {
      all.push(run);
    } else {
      for (let i = 0; i + 1 < run.length; i++) all.push(run.slice(i, i + 2));
    }
  }
  return all;
}

async function makeIndex() {
  await Promise.all([load('minisearch.js'), load('search-index.js')]);
  const index = new MiniSearch({
    idField: 'u', fields: ['h', 'p', 't'], storeFields: ['u', 'h', 'p', 't', 'w'], tokenize: words,
    searchOptions: {
      boost: { h: 4, p: 2 }, weights: { fuzzy: 0.1, prefix: 0.5 }, combineWith: 'AND', prefix: term => !japanese.test(term),
      fuzzy: term => !japanese.test(term) && term.length > 4 ? 0.2 : false,
      boostDocument: (id, term, stored) => stored.w ** 2 * (/\.ja\.html/.test(id) === (language === 'ja') ? 1.5 : 1),
    },
  });
  index.addAll(window.easelSections);
  return index;
}

function ready() {
  loaded ??= makeIndex();
  return loaded;
}

const escaped = text => text.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);

// excerpt returns the text around the first place that a word is in, with all of them marked.
function excerpt(text, query) {
  const parts = query.trim().split(/\s+/).map(w => w.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const sought = new RegExp(parts.join('|'), 'giu');
  const at = Math.max(0, text.search(sought) - 50);
  const cut = (at ? '… ' : '') + text.slice(at, at + 150) + (at + 150 < text.length ? ' …' : '');
  let out = '', end = 0;
  for (const m of cut.matchAll(sought)) {
    out += escaped(cut.slice(end, m.index)) + `<mark>${escaped(m[0])}</mark>`;
    end = m.index + m[0].length;
  }
  return out + escaped(cut.slice(end));
}

async function search() {
  const query = field.value;
  if (!query.trim()) return close();
  const index = await ready();
  if (query !== field.value) return; // typed on while the index was loaded
  const results = index.search(query).slice(0, 20);
  list.innerHTML = results.map((r, i) => `<li role="option" id="found${i}" aria-selected="false"><a href="${root}${escaped(r.u)}" tabindex="-1"><b>${
    escaped(r.h)}</b>${r.h === r.p ? '' : ` <small>${escaped(r.p)}</small>`}<span>${excerpt(r.t, query)}</span></a></li>`).join('') ||
    `<li class="none">${escaped(form.dataset.none)}</li>`;
  list.hidden = false;
  field.setAttribute('aria-expanded', 'true');
  choose(results.length ? 0 : -1);
}

function close() {
  list.hidden = true;
  field.setAttribute('aria-expanded', 'false');
  field.removeAttribute('aria-activedescendant');
}

function choose(n) {
  const items = [...list.querySelectorAll('[role=option]')];
  chosen = items.length && n >= 0 ? (n + items.length) % items.length : -1;
  items.forEach((item, i) => item.setAttribute('aria-selected', i === chosen));
  if (chosen < 0) return;
  field.setAttribute('aria-activedescendant', items[chosen].id);
  items[chosen].scrollIntoView({ block: 'nearest' });
}

field.addEventListener('focus', ready);
field.addEventListener('input', search);
field.addEventListener('keydown', event => {
  if (event.isComposing) return; // Enter chooses what an input method offers
  if (event.key === 'ArrowDown') choose(chosen + 1);
  else if (event.key === 'ArrowUp') choose(Math.max(chosen - 1, 0));
  else if (event.key === 'Escape') { close(); field.blur(); }
  else return;
  event.preventDefault();
});
form.addEventListener('submit', event => {
  event.preventDefault();
  list.querySelector('[aria-selected=true] a')?.click();
});
list.addEventListener('click', event => { if (event.target.closest('a')) close(); });
document.addEventListener('click', event => { if (!form.contains(event.target)) close(); });
document.addEventListener('keydown', event => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field.focus();
});

// The list of pages is folded on a narrow screen only.
const narrow = matchMedia('(max-width: 50rem)');
const pages = document.querySelector('.pages details');
if (pages) {
  const fold = () => { pages.open = !narrow.matches; };
  narrow.addEventListener('change', fold);
  fold();
  pages.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
}
