"""What bin/up and bin/test do before and around the product. Standard library only: no package is installed yet."""
