"""The commands of threadline, one file each; they assemble the parts of the service."""
