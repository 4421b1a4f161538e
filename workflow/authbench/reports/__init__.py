"""Show what was built and scored: reports, leaderboard, tables, pages."""
