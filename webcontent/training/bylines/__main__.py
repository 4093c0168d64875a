"""Trains the rankers of source and authors: python -m webcontent.training.bylines"""

from webcontent.training.bylines.trainer import main

if __name__ == "__main__":
    main()
