"""Hold what every wing uses: records, identity, storage, running processes, presentation."""
