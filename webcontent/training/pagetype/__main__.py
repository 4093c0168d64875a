"""Trains the page type models: python -m webcontent.training.pagetype"""

from webcontent.training.pagetype.trainer import main

if __name__ == "__main__":
    main()
