"""What a person wrote about a site: one file a site, which says where its fields stand and how its pages are read.

`reading` reads and checks the files, `applying` changes what the models found, `proposing` finds the selector of a right value.
"""

from webcontent.site_files.reading import SiteFile, SiteFileError, SiteFiles

__all__ = ["SiteFile", "SiteFileError", "SiteFiles"]
