"""Trains Web2Text's networks: python -m webcontent.training.web2text"""

from webcontent.training.web2text.trainer import main

if __name__ == "__main__":
    main()
