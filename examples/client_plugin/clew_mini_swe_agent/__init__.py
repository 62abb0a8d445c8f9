"""mini-SWE-agent for clew: reads its trajectories, which a person names (`clew import run.traj.json`)."""
