-- Version 1. Times are nanoseconds since 1970, UTC.
create table journal_state (
	one integer primary key check (one = 1),
	last_start integer not null, -- where the last line begins that this database holds
	last_end integer not null,   -- and where it ends
	last_sum integer not null    -- its checksum
);
insert into journal_state values (1, 0, 0, 0);

create table sessions (
	seq integer primary key,
	id text not null unique,
	kernel text not null default '',
	ended integer not null default 0,
	body text not null default '', -- Session as JSON; empty if only images told of it
	counter integer not null default 0, -- n of its last image
	live integer not null default 0 -- images that are not in the trash
);
create index sessions_kernel on sessions (kernel) where kernel <> '';

create table executions (
	seq integer primary key,
	id text not null unique,
	session text not null,
	created integer not null,
	status text not null,
	code text not null,
	body text not null -- Execution as JSON, without the code
);
create index executions_created on executions (created, id);
create index executions_session on executions (session, created, id);
create index executions_open on executions (seq) where status in ('queued', 'awaiting_approval', 'running');
-- What a search looks at, folded. Apart from the executions, so that a search reads
-- nothing else.
create table run_words (seq integer primary key, words text not null, indexed integer not null default 0);
create index run_words_new on run_words (seq) where indexed = 0;
-- Which words hold which three characters. It is brought up when things have calmed
-- down: indexing a kilobyte takes half a millisecond.
create virtual table run_index using fts5 (words, content = '', contentless_delete = 1, tokenize = 'trigram');

create table images (
	seq integer primary key,
	id text not null unique,
	session_seq integer not null references sessions (seq),
	n integer not null,
	execution text not null,
	created integer not null,
	modified integer not null,
	mime text not null,
	ext text not null,
	hash text not null,
	bytes integer not null,
	width integer not null,
	height integer not null,
	title text not null,
	description text not null,
	note text not null default '',
	named integer not null default 0, -- the title is the user's
	client text not null,
	display_id text not null,
	replaces text not null,
	forms text not null default '', -- the other forms as JSON
	tags text not null default '', -- tag names as JSON, for reading; tagged is for asking
	rating integer not null default 0,
	trashed integer not null default 0, -- when; 0: it is not
	sortname text not null,
	words text not null
);
create index images_execution on images (execution, id);
create index images_trashed on images (trashed, id) where trashed > 0;
create index images_session on images (session_seq, created, id, rating) where trashed = 0;
create index images_created on images (created, id, rating) where trashed = 0;
create index images_name on images (sortname, id) where trashed = 0;
create index images_modified on images (modified, id) where trashed = 0;
create index images_rating on images (rating, id) where trashed = 0;
create index images_size on images (bytes, id) where trashed = 0;
create index images_by_session on images (session_seq, id) where trashed = 0;
create index images_idle on images (created, id)
	where rating = 0 and tags = '' and note = '' and named = 0;

create trigger images_came after insert on images when new.trashed = 0 begin
	update sessions set live = live + 1 where seq = new.session_seq;
end;
create trigger images_went after delete on images when old.trashed = 0 begin
	update sessions set live = live - 1 where seq = old.session_seq;
end;
create trigger images_moved after update of trashed on images
when (old.trashed = 0) <> (new.trashed = 0) begin
	update sessions set live = live + (new.trashed = 0) - (old.trashed = 0) where seq = new.session_seq;
end;

create table files (
	name text primary key, -- hash.ext
	bytes integer not null,
	refs integer not null,
	broken integer not null default 0
) without rowid;

-- A subject is an image's id, or sha256:hash for a file on disk.
create table tag_names (seq integer primary key, name text not null, key text not null unique);
create table tagged (subject text not null, tag integer not null, primary key (subject, tag)) without rowid;
create index tagged_tag on tagged (tag, subject);
create table file_marks (
	hash text primary key,
	path text not null,
	rating integer not null,
	tags text not null,
	modified integer not null
) without rowid;

create table activities (seq integer primary key, body text not null);
