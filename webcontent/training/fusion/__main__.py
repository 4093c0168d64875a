"""Trains the default extractor's model: python -m webcontent.training.fusion"""

from webcontent.training.fusion.trainer import main

if __name__ == "__main__":
    main()
