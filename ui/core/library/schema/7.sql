-- Adds the results of checks whether the code of an image draws it again.
create table checks (
	image text primary key,
	at integer not null,
	status text not null,
	fresh text not null, -- the file of the picture that the code drew, as JSON; empty if none
	body text not null -- Check as JSON
) without rowid;
