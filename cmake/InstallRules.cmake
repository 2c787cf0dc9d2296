# Install and export: find_package(reelhouse), target reelhouse::reelhouse.
