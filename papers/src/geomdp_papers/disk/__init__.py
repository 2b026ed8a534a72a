"""The disk map that paper 4 names."""
