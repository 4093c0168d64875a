"""Web2Text: the collapsed DOM as a sequence, labelled by two networks and the algorithm of Viterbi."""
