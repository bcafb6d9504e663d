#!/usr/bin/env bash
# Workers of a farm as a Slurm array: EVO_FARM=nats://HOST:4222 sbatch packaging/slurm-workers.sh
# The token: ~/.config/evo/worker.token, readable by you alone. A worker without a job for ten minutes leaves.
#SBATCH --job-name=evo-worker
#SBATCH --array=1-16
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
# Without B: only steps of srun would hear of the end: evo takes the place of this shell.
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
set -euo pipefail
exec evo worker --farm "${EVO_FARM:?nats://HOST:PORT of the farm}" --token-file "$HOME/.config/evo/worker.token" \
  --threads "${SLURM_CPUS_PER_TASK:-1}" --idle 600
