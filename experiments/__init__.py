"""The paper's claims, one module a figure or table: `make paper`, `make paper FIG=3`."""
