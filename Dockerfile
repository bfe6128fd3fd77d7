# The workbench in a container: web and workers are the same image. compose.yaml shows how they go together.
FROM python:3.12-slim-bookworm
RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --create-home --home-dir /srv/proofroom --uid 10001 proofroom
WORKDIR /srv/proofroom/app
COPY requirements requirements
RUN pip install --no-cache-dir --require-hashes -r requirements/base.txt \
    && { pip install --no-cache-dir --require-hashes -r requirements/pocket.txt || echo "no pocket Lean on this machine"; }
COPY . .
ENV WORKBENCH_DATA_DIR=/srv/proofroom/data PYTHONUNBUFFERED=1
RUN install -d -o proofroom -g proofroom -m 0700 /srv/proofroom/data /srv/proofroom/backups
USER proofroom
EXPOSE 8000
# Whatever a job leaves behind when its worker is killed is reaped by tini.
ENTRYPOINT ["tini", "--", "python", "bin/run.py"]
CMD ["workbench.commandline", "help"]
