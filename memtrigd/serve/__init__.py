"""From frame to frame: protocol → decode → gate → handler in its lane → answer."""
