"""Documents from mailboxes, files, feeds and servers: read, put in order of time, sent once."""
