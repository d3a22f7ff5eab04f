// Carries the precompiled header shared by every target that needs <torch/torch.h>.
