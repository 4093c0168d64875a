"""Trains NEMTF's networks: python -m webcontent.training.nemtf"""

from webcontent.training.nemtf.trainer import main

if __name__ == "__main__":
    main()
