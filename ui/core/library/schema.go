package library

// migrations upgrade the database step by step; the n-th creates version n+1. Released
// migrations are never edited; new ones are appended.
var migrations = []string{schema1, schema2, schema3, schema4, schema5, schema6, schema7, schema8}

// schema8 removes the results of calls, which are no longer stored.
const schema8 = `
pragma secure_delete = on;
update activities set body = json_remove(body, '$.Result') where json_valid(body);
`

// schema7 adds the results of checks whether the code of an image draws it again.
const schema7 = `
create table checks (
	image text primary key,
	at integer not null,
	status text not null,
	fresh text not null, -- the file of the picture that the code drew, as JSON; empty if none
	body text not null -- Check as JSON
) without rowid;
`

// schema5 adds the number of frames. countFrames counts those of existing images.
const schema5 = `
alter table images add column frames integer not null default 0; -- 0: not counted yet; 1: a still picture
update images set frames = 1 where mime not in ('image/gif', 'image/png', 'image/webp');
create index images_uncounted on images (seq) where frames = 0;
`

// schema4 adds an index to find images by file.
const schema4 = `
create index images_file on images (hash, ext, born, figure);
`

// schema2 adds figures without a picture.
const schema2 = `
alter table images add column interactive text not null default '';
`

// schema3 groups the images that are versions of one figure. It groups existing images by
// what they replaced. If the newest version has no annotations, it takes over the latest
// ones of an older version.
const schema3 = `
drop trigger images_came;
drop trigger images_went;
drop trigger images_moved;
drop index images_session;
drop index images_created;
drop index images_name;
drop index images_modified;
drop index images_rating;
drop index images_size;
drop index images_by_session;
drop index images_idle;

alter table images add column figure integer not null default 0; -- seq of its first version
alter table images add column born integer not null default 0; -- when that was created: an update moves nothing
-- 1: there is a newer version of the figure, in the trash if this one is, else in the library.
alter table images add column superseded integer not null default 0;
alter table images add column versions integer not null default 1; -- where superseded is 0: how many lie where it does

update images set figure = seq, born = created;
create temp table updates as
	select i.seq as seq, o.seq as prev from images i
	join images o on o.id = substr(i.replaces, instr(i.replaces, '/images/') + 8, 26) and o.seq < i.seq
	where i.replaces <> '';
create index temp.updates_prev on updates (prev);
with recursive chain (seq, figure, born) as (
	select o.seq, o.seq, o.created from images o
		where o.seq in (select prev from updates) and o.seq not in (select seq from updates)
	union
	select u.seq, c.figure, c.born from chain c join updates u on u.prev = c.seq)
update images set figure = chain.figure, born = chain.born from chain where images.seq = chain.seq;
drop table updates;

create index images_figure on images (figure, id, trashed);
update images as i set superseded = 1 where exists (
	select 1 from images o where o.figure = i.figure and o.id > i.id and (o.trashed = 0) = (i.trashed = 0));
update images as i set versions = (
	select count(*) from images o where o.figure = i.figure and (o.trashed = 0) = (i.trashed = 0))
	where superseded = 0 and figure in (select figure from images where superseded = 1);

create temp table heirs as
	select f.seq as seq, f.id as id, max(o.id) as donor from images o
	join images f on f.figure = o.figure and f.superseded = 0 and (f.trashed = 0) = (o.trashed = 0)
		and f.rating = 0 and f.tags = '' and f.note = '' and f.named = 0
	where o.superseded = 1 and (o.rating > 0 or o.tags <> '' or o.note <> '' or o.named = 1)
	group by f.seq;
update images set rating = d.rating, tags = d.tags, note = d.note, named = d.named,
	title = case d.named when 1 then d.title else images.title end,
	sortname = case d.named when 1 then d.sortname else images.sortname end,
	words = images.words || char(10) || d.words
	from heirs h join images d on d.id = h.donor where images.seq = h.seq;
insert or ignore into tagged (subject, tag) select h.id, t.tag from heirs h join tagged t on t.subject = h.donor;
drop table heirs;
delete from tagged where subject in (select id from images where superseded = 1 and tags <> '');
update images set rating = 0, tags = '', note = '', named = 0
	where superseded = 1 and (rating > 0 or tags <> '' or note <> '' or named = 1);

create index images_session on images (session_seq, born, figure, id, rating) where trashed = 0 and superseded = 0;
create index images_created on images (born, figure, id, rating) where trashed = 0 and superseded = 0;
create index images_name on images (sortname, figure, id) where trashed = 0 and superseded = 0;
create index images_modified on images (modified, figure, id) where trashed = 0 and superseded = 0;
create index images_rating on images (rating, figure, id) where trashed = 0 and superseded = 0;
create index images_size on images (bytes, figure, id) where trashed = 0 and superseded = 0;
create index images_by_session on images (session_seq, figure, id) where trashed = 0 and superseded = 0;
create index images_idle on images (created, id)
	where rating = 0 and tags = '' and note = '' and named = 0 and superseded = 0;
create index images_superseded on images (created, id) where superseded = 1;

-- A session counts figures.
create trigger images_came after insert on images when new.trashed = 0 and new.superseded = 0 begin
	update sessions set live = live + 1 where seq = new.session_seq;
end;
create trigger images_went after delete on images when old.trashed = 0 and old.superseded = 0 begin
	update sessions set live = live - 1 where seq = old.session_seq;
end;
create trigger images_moved after update of trashed, superseded on images
when (old.trashed = 0 and old.superseded = 0) <> (new.trashed = 0 and new.superseded = 0) begin
	update sessions set live = live + (new.trashed = 0 and new.superseded = 0) - (old.trashed = 0 and old.superseded = 0)
		where seq = new.session_seq;
end;
update sessions set live = (select count(*) from images i
	where i.session_seq = sessions.seq and i.trashed = 0 and i.superseded = 0);
`

// schema1 is version 1. Times are nanoseconds since 1970, UTC.
const schema1 = `
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
`
