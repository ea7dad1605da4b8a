-- Groups the images that are versions of one figure. It groups existing images by
-- what they replaced. If the newest version has no annotations, it takes over the latest
-- ones of an older version.
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
