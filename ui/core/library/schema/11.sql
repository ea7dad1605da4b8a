-- Adds which execution drew an image, and an index that has everything that searches read of the
-- images, in the order of the gallery: to read all rows takes ten times as long.
alter table images add column run integer not null default 0; -- seq of the execution; 0: the library does not have it
update images set run = (select e.seq from executions e where e.id = images.execution)
	where execution in (select e.id from executions e);
-- An execution may come after its images, for example in an import.
create trigger executions_came after insert on executions begin
	update images set run = new.seq where execution = new.id;
end;
-- Words for what an image is and has, of its forms, its kind and its note; see trait in terms.go.
alter table images add column traits text not null default '';
create view image_traits (seq, words) as select seq,
	iif(instr(forms, 'application/vnd.easel.facts+json'), 'data matplotlib ', '')
	|| iif(instr(forms, 'application/vnd.easel.figure'), 'matplotlib ', '')
	|| iif(interactive in ('vega', 'vegalite') or instr(forms, 'application/vnd.vega'), 'vega ', '')
	|| iif(interactive = 'plotly' or instr(forms, 'application/vnd.plotly.'), 'plotly ', '')
	|| iif(interactive = 'bokeh' or instr(forms, 'application/vnd.bokeh'), 'bokeh ', '')
	|| iif(interactive = 'holoviews' or instr(forms, 'application/vnd.holoviews'), 'holoviews ', '')
	|| iif(note <> '', 'note ', '')
	from images;
update images set traits = (select t.words from image_traits t where t.seq = images.seq);
create trigger images_made after insert on images begin
	update images set traits = (select t.words from image_traits t where t.seq = new.seq) where seq = new.seq;
end;
create trigger images_remade after update of forms, interactive, note on images begin
	update images set traits = (select t.words from image_traits t where t.seq = new.seq) where seq = new.seq;
end;
create index images_search on images (
	born, figure, id, run, rating, findings, frames, created, client, mime, interactive, traits, tags, n, title, words
) where trashed = 0 and superseded = 0;
create index executions_failed on executions (seq)
	where status in ('error', 'timeout', 'kernel_died', 'interrupted', 'lost');
