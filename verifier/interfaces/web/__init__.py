"""The HTTP service: routes, pages, and what guards them."""
