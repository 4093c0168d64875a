"""Trains the model that applies site history: python -m webcontent.training.history"""

from webcontent.training.history.trainer import main

if __name__ == "__main__":
    main()
