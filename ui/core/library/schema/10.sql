-- Adds what checks found in plots, and what of it the user judged to be no problem.
alter table images add column found text not null default '[]'; -- keys of findings as JSON; they can be found again
alter table images add column examined integer default 0; -- 1: found is known; null: the plot has no numbers
alter table images add column judged text not null default '[]'; -- keys that are no problem, as JSON; of a figure, in its newest version
alter table images add column findings integer not null default 0; -- how many of found are open: not judged, of a check that is on
update images set examined = null where forms = '' and interactive = '';
create index images_unexamined on images (seq) where examined = 0;
create index images_findings on images (born, figure, id) where findings > 0 and trashed = 0 and superseded = 0;

create table examination (
	one integer primary key check (one = 1),
	version integer not null, -- of the checks
	off text not null -- names of the checks that are turned off, as JSON
);
insert into examination values (1, 0, '[]');
