"""Trains the ranker of titles: python -m webcontent.training.titles"""

from webcontent.training.titles.trainer import main

if __name__ == "__main__":
    main()
