"""Programs to begin with: `python -m match_verification.examples.folder_to_table FOLDER`."""
