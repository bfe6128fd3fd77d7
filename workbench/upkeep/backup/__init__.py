"""Backups: one file with the database and the data folder, checked before anything is put back."""
