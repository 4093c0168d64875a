"""What a person wrote about sites: `reading` reads the files, `applying` uses them, `proposing` finds a line for a right value."""

from webcontent.site_files.reading import SiteFile, SiteFileError, SiteFiles

__all__ = ["SiteFile", "SiteFileError", "SiteFiles"]
