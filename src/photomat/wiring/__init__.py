"""How the parts are put together: settings in, parts out. The only slice that names concrete classes."""
